#include "models/parameters.hpp"

#include <algorithm>
#include <utility>

namespace posenc::models {

Slice Layout::add_matrix(std::string name, int rows, int cols, Decay decay) {
  return add(std::move(name), {rows, cols}, {.rows = rows, .cols = cols}, decay);
}

Slice Layout::add_vector(std::string name, int size) {
  return add(std::move(name), {size}, {.rows = 1, .cols = size}, Decay::no);
}

Slice Layout::add(std::string name, std::vector<int> shape, Slice slice, Decay decay) {
  slice.begin = size_;
  size_ += slice.size();
  slices_.push_back({std::move(name), std::move(shape), slice, decay});
  return slice;
}

MatrixView<float> Buffer::shaped(int rows, int cols) {
  rows_ = rows;
  cols_ = cols;
  if (data_.size() < size()) data_.resize(size());
  return view();
}

MatrixView<float> Buffer::zeros(int rows, int cols) {
  const MatrixView<float> result = shaped(rows, cols);
  std::ranges::fill(result.all(), 0.0F);
  return result;
}

}  // namespace posenc::models
