#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace posenc {

/// Row-major view [row][col] of memory that somebody else owns.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(std::span<T> data, int rows, int cols) : data_(data.data()), rows_(rows), cols_(cols) {
    assert(rows >= 0 && cols >= 0 && data.size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  }
  /// A view of mutable elements is a view of const elements.
  template <class Mutable>
  requires std::is_same_v<const Mutable, T> MatrixView(const MatrixView<Mutable>& other)
      : MatrixView(other.all(), other.rows(), other.cols()) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }

  [[nodiscard]] T& operator()(int row, int col) const {
    assert(row >= 0 && row < rows_ && col >= 0 && col < cols_);
    return data_[index(row) + static_cast<std::size_t>(col)];
  }
  [[nodiscard]] std::span<T> row(int row) const {
    assert(row >= 0 && row < rows_);
    return {data_ + index(row), static_cast<std::size_t>(cols_)};
  }
  [[nodiscard]] std::span<T> all() const { return {data_, index(rows_)}; }
  /// `count` rows from `first` on.
  [[nodiscard]] MatrixView slice(int first, int count) const {
    assert(first >= 0 && count >= 0 && first + count <= rows_);
    return {{data_ + index(first), index(count)}, count, cols_};
  }

 private:
  [[nodiscard]] std::size_t index(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_);
  }

  T* data_ = nullptr;
  int rows_ = 0;
  int cols_ = 0;
};

/// Elements of a matrix.
///
/// @throws std::length_error  they are more than a size can count, as in WebAssembly's 32 bits
[[nodiscard]] inline std::size_t element_count(int rows, int cols) {
  const auto count = static_cast<unsigned long long>(rows) * static_cast<unsigned long long>(cols);
  if (static_cast<std::size_t>(count) != count) throw std::length_error("matrix");
  return static_cast<std::size_t>(count);
}

/// Row-major matrix [row][col] that owns its memory, zero at first.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int cols) : data_(element_count(rows, cols)), rows_(rows), cols_(cols) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }
  [[nodiscard]] MatrixView<T> view() { return {data_, rows_, cols_}; }
  [[nodiscard]] MatrixView<const T> view() const { return {data_, rows_, cols_}; }
  [[nodiscard]] T& operator()(int row, int col) { return view()(row, col); }
  [[nodiscard]] const T& operator()(int row, int col) const { return view()(row, col); }
  [[nodiscard]] std::span<T> row(int row) { return view().row(row); }
  [[nodiscard]] std::span<const T> row(int row) const { return view().row(row); }
  [[nodiscard]] std::span<T> all() { return data_; }
  [[nodiscard]] std::span<const T> all() const { return data_; }

 private:
  std::vector<T> data_;
  int rows_ = 0;
  int cols_ = 0;
};

}  // namespace posenc
