#include "posenc/multimodal_positions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "posenc/error.hpp"

namespace posenc {
namespace {

/// Not inline: building a message takes more room than the rules.
[[gnu::noinline, noreturn]] void refuse(ErrorCode code, const char* field, const char* rule, double value) {
  fail(code, "", field, rule, to_text(value));
}

void validate(const MultimodalSettings& settings) {
  const auto& [merge_size, steps_per_frame] = settings;
  if (merge_size < 1) refuse(ErrorCode::out_of_range, "merge_size", "be at least 1", merge_size);
  if (!std::isfinite(steps_per_frame)) {
    refuse(ErrorCode::not_finite, "steps_per_frame", "be finite", steps_per_frame);
  }
  if (steps_per_frame < 0.0) {
    refuse(ErrorCode::out_of_range, "steps_per_frame", "be at least 0", steps_per_frame);
  }
}

/// A medium of the prompt and the grids of its kind that are still to come.
struct Media {
  TokenKind kind;
  const char* field;
  std::span<const MediaGrid> grids;
};

class Prompt {
 public:
  Prompt(std::span<const TokenKind> kinds, const MultimodalSettings& settings)
      : kinds_(kinds), settings_(settings), result_{.positions = {static_cast<int>(kinds.size()), 3}} {}

  MultimodalPositions read(std::array<Media, 2> media) {
    for (std::size_t token = 0; token < kinds_.size();) {
      const auto met = std::ranges::find(media, kinds_[token], &Media::kind);
      if (met != media.end()) {
        token = place_grid(token, *met);
        continue;
      }
      if (kinds_[token] == TokenKind::text) place(token, result_.next, {});
      ++token;
    }
    for (const auto& [kind, field, grids] : media) {
      if (!grids.empty()) {
        refuse(ErrorCode::shape_mismatch, field, "have one grid for each in the prompt",
               static_cast<double>(grids.size()));
      }
    }
    const auto padding = std::ranges::count(kinds_, TokenKind::padding);
    result_.delta = result_.next - static_cast<double>(static_cast<std::ptrdiff_t>(kinds_.size()) - padding);
    return std::move(result_);
  }

 private:
  void place(std::size_t token, double start, const std::array<double, 3>& offsets) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double position = start + offsets[axis];
      result_.positions.row(static_cast<int>(token))[axis] = position;
      result_.next = std::max(result_.next, position + 1.0);
    }
  }

  /// Places all tokens of a picture or film; returns the one after them.
  std::size_t place_grid(std::size_t token, Media& media) {
    if (media.grids.empty()) refuse(ErrorCode::shape_mismatch, media.field, "have a grid for each in the prompt", 0.0);
    const auto [frames, height, width] = media.grids.front();
    media.grids = media.grids.subspan(1);
    check_side(media, frames, 1);
    check_side(media, height, settings_.merge_size);
    check_side(media, width, settings_.merge_size);
    const double start = result_.next;
    for (int frame = 0; frame < frames; ++frame) {
      const double step = media.kind == TokenKind::video ? std::floor(frame * settings_.steps_per_frame) : frame;
      for (int row = 0; row < height / settings_.merge_size; ++row) {
        for (int column = 0; column < width / settings_.merge_size; ++column, ++token) {
          if (token >= kinds_.size() || kinds_[token] != media.kind) {
            refuse(ErrorCode::shape_mismatch, "token_types", "have as many in a row as the grid of their medium",
                   static_cast<double>(token));
          }
          place(token, start, {step, static_cast<double>(row), static_cast<double>(column)});
        }
      }
    }
    return token;
  }

  static void check_side(const Media& media, int side, int multiple_of) {
    if (side >= 1 && side % multiple_of == 0) return;
    refuse(ErrorCode::out_of_range, media.field, "have sizes of at least 1, sides that divide by merge_size", side);
  }

  std::span<const TokenKind> kinds_;
  const MultimodalSettings& settings_;
  MultimodalPositions result_;
};

}  // namespace

MultimodalPositions multimodal_positions(std::span<const TokenKind> kinds, std::span<const MediaGrid> images,
                                         std::span<const MediaGrid> videos, const MultimodalSettings& settings) {
  validate(settings);
  return Prompt(kinds, settings)
      .read({Media{TokenKind::image, "image_grid_thw", images}, Media{TokenKind::video, "video_grid_thw", videos}});
}

}  // namespace posenc
