#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "posenc/matrix_view.hpp"

namespace posenc::models {

/// Where one matrix (or vector: one row) of parameters stands in the flat vector of all. Gradients lie likewise.
struct Slice {
  std::size_t begin = 0;
  int rows = 0;
  int cols = 0;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  template <class T>
  [[nodiscard]] std::span<T> flat(std::span<T> all) const {
    return all.subspan(begin, size());
  }
  template <class T>
  [[nodiscard]] MatrixView<T> of(std::span<T> all) const {
    return {flat(all), rows, cols};
  }
};

/// Whether weight decay pulls on a slice: on matrices, but not on biases, norms, embeddings and encodings.
enum class Decay { no, yes };

struct NamedSlice {
  std::string name;  ///< as in PyTorch, for example "blocks.0.attn.qkv.weight"
  std::vector<int> shape;
  Slice slice;
  Decay decay;
};

/// Names and places of all parameters of a model, in the order in which they were added.
class Layout {
 public:
  Slice add_matrix(std::string name, int rows, int cols, Decay decay);
  Slice add_vector(std::string name, int size);

  [[nodiscard]] std::span<const NamedSlice> slices() const { return slices_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Slice add(std::string name, std::vector<int> shape, Slice slice, Decay decay);

  std::vector<NamedSlice> slices_;
  std::size_t size_ = 0;
};

/// Memory that is kept from step to step.
class Buffer {
 public:
  /// Room for [rows][cols]. What was in it is lost; views of it end where it grows.
  MatrixView<float> shaped(int rows, int cols);
  /// The same, all 0.
  MatrixView<float> zeros(int rows, int cols);
  [[nodiscard]] MatrixView<float> view() { return {std::span(data_).first(size()), rows_, cols_}; }
  [[nodiscard]] MatrixView<const float> view() const { return {std::span(data_).first(size()), rows_, cols_}; }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_); }

  std::vector<float> data_;
  int rows_ = 0;
  int cols_ = 0;
};

}  // namespace posenc::models
