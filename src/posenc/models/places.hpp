#pragma once

#include <span>
#include <vector>

#include "posenc/attention.hpp"
#include "posenc/encoding.hpp"
#include "posenc/info.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/spec.hpp"

namespace posenc::models {

/// A rotation of q or k, and the way back for gradients.
struct Turns {
  Rotation there;
  Rotation back;  ///< by the opposite angles; of interleaved_to_half to the interleaved layout

  /// @param grad  [sequence, token][head_dim], in place
  void turn_back(int head, MatrixView<float> grad) const;
  /// Adds the gradients of the angles of one head, from vectors that have been turned and their gradients,
  /// [token][head_dim].
  /// @param grad_angles  [table * token][rotary_dim / 2]
  void add_angle_gradients(int head, MatrixView<const float> turned, MatrixView<const float> grad,
                           MatrixView<float> grad_angles) const;
};

/// What an encoding and a mask give to every sequence with the same positions, whatever its words are: computed once
/// for all of them, and for all layers.
struct Places {
  Matrix<double> positions;  ///< [token][axes]
  Matrix<float> rows;        ///< [token][d_model]; none where nothing is added to the input
  Turns q;                   ///< none where nothing is rotated
  Turns k;
  std::vector<Matrix<float>> biases;  ///< of each head, or one for all of them: [query][key], -inf where the mask hides

  [[nodiscard]] int length() const { return positions.rows(); }
  /// What is added to the logits of a head; null: nothing.
  [[nodiscard]] const Matrix<float>* added(int head) const;
};

/// Gradients of Places, summed over all sequences and layers that used them.
struct PlacesGradients {
  Matrix<float> rows;
  std::vector<Matrix<float>> biases;
  Matrix<float> q_angles;  ///< [table * token][rotary_dim / 2]
  Matrix<float> k_angles;

  void reset(const Places& places);
};

/// An encoding, with the mask of the model around it. One encoding, with one set of weights, serves all layers: T5 and
/// ALiBi share theirs; Shaw, Transformer-XL, KERPLE and CoPE have some in each layer in their papers. Shared, the
/// trained encoding is a plain Spec that everything else in the library can show.
class Encoded {
 public:
  /// @throws Error  as make()
  Encoded(const Spec& spec, const Mask& mask);

  [[nodiscard]] const Encoding& encoding() const { return encoding_; }
  [[nodiscard]] const EncodingInfo& info() const { return info_; }
  [[nodiscard]] const Mask& mask() const { return mask_; }
  /// Its bias is another one for other words: Places hold the mask only.
  [[nodiscard]] bool bias_of_content() const { return encoding_.bias != nullptr && info_.needs_content; }
  /// Its rotation is learned.
  [[nodiscard]] bool learns_rotation() const { return encoding_.rotary != nullptr && !encoding_.weights.empty(); }
  /// Factor on q · k.
  [[nodiscard]] float scale() const;

  /// Takes new numbers of a learned encoding.
  void read(std::span<const float> weights);

  /// @param positions  place of each token in its sequence, in any order
  /// @throws Error     position_out_of_range where the encoding ends
  [[nodiscard]] Places at(std::span<const double> positions) const;

  /// What the weights of the encoding get from rows, rotations, and biases that do not depend on the words.
  void collect(const Places& places, const PlacesGradients& gradients, std::span<float> grad_weights) const;

 private:
  [[nodiscard]] BiasQuery bias_query(const Places& places, int head) const;
  void add_biases(Places& places) const;

  Encoding encoding_;
  const EncodingInfo& info_;
  Mask mask_;
};

}  // namespace posenc::models
