#pragma once

#include <cstdint>
#include <span>

#include "posenc/matrix_view.hpp"

namespace posenc {

/// What a token of a prompt stands for.
enum class TokenKind : std::uint8_t {
  text,
  image,
  video,
  padding,  ///< hidden by the attention mask
};

/// Patches of one picture or film, as the image processor reports them (image_grid_thw, video_grid_thw).
struct MediaGrid {
  int frames = 1;
  int height = 1;
  int width = 1;
};

/// How patches become tokens, and frames positions.
struct MultimodalSettings {
  int merge_size = 2;            ///< patches of each side that make one token (spatial_merge_size)
  double steps_per_frame = 1.0;  ///< of a film; Qwen2.5-VL: second_per_grid_t * tokens_per_second
};

/// Positions of a prompt, for M-RoPE.
struct MultimodalPositions {
  Matrix<double> positions;  ///< [token][time, height, width]; 0 for padding
  double next = 0.0;         ///< of the token that comes after the prompt, on all three axes
  double delta = 0.0;        ///< next less the number of tokens without padding (rope_deltas)
};

/// Positions of text, pictures and films in one line.
///
/// A word has the next position, on all three axes. The tokens of a picture or film start there too: time + frame,
/// height + row, width + column; what follows goes on after the largest of them. Steps of a film that are no whole
/// numbers are rounded down.
///
/// @param kinds   of each token
/// @param images  one for each picture, in order: frames * height * width / merge_size² tokens each
/// @param videos  one for each film
/// @throws Error  shape_mismatch (field "token_types": fewer tokens than a grid has; field "image_grid_thw" or
///                "video_grid_thw": more or fewer grids than the prompt has), out_of_range (sizes below 1, sides that
///                do not divide by merge_size, steps_per_frame below 0), not_finite, out_of_memory
/// @source Wang et al. 2024, arXiv:2409.12191, section 2.1; Hugging Face transformers, Qwen2VLModel.get_rope_index
[[nodiscard]] MultimodalPositions multimodal_positions(std::span<const TokenKind> kinds,
                                                       std::span<const MediaGrid> images,
                                                       std::span<const MediaGrid> videos,
                                                       const MultimodalSettings& settings = {});

}  // namespace posenc
