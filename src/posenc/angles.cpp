#include "posenc/angles.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

using kernels::AnglesView;
using kernels::kHalfTile;
using kernels::kTileRows;
using kernels::TileView;

constexpr auto kTile = static_cast<double>(kTileRows);
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A whole position p = block + tile + (p - block - tile): multiples of 256 and of 16, and what is left, 0 to 15.
constexpr std::size_t kTilesInBlock = 16;
constexpr double kBlock = kTile * kTilesInBlock;

/// sin and cos of position * inv_freq in double, kept for the last position that was asked for.
class Angles {
 public:
  [[nodiscard]] AnglesView at(double position, std::span<const double> inv_freq) {
    const std::size_t pairs = inv_freq.size();
    if (position != position_) {
      numbers_.resize(2 * pairs);
      kernels::best.sin_cos(position, inv_freq, std::span(numbers_).first(pairs), std::span(numbers_).last(pairs));
      position_ = position;
    }
    return {std::span(numbers_).first(pairs), std::span(numbers_).last(pairs)};
  }

 private:
  std::vector<double> numbers_;
  double position_ = kNone;
};

/// Rows of a table and where they stand.
struct Table {
  Columns cos;
  Columns sin;
  SinCos order;

  [[nodiscard]] std::size_t step() const { return order == SinCos::apart ? 1 : 2; }
  [[nodiscard]] TileView from_row(std::size_t row) const {
    const auto stride = static_cast<std::size_t>(sin.table.cols());
    assert(static_cast<std::size_t>(cos.table.cols()) == stride);
    return {sin.table.all().subspan(row * stride + static_cast<std::size_t>(sin.first)),
            cos.table.all().subspan(row * stride + static_cast<std::size_t>(cos.first)), stride};
  }
};

/// Fills a table tile by tile. Rows that are not a whole tile are copied out of one.
class TableBuilder {
 public:
  explicit TableBuilder(std::span<const double> inv_freq)
      : inv_freq_(inv_freq), rows_(static_cast<int>(kTileRows), 2 * static_cast<int>(inv_freq.size())) {}

  void fill(std::span<const double> positions, const Table& out) {
    std::size_t period = 0;  // of coordinates that come again, as those of a picture do
    for (std::size_t row = 0; row < positions.size();) {
      const double position = positions[row];
      const double first = kTile * std::floor(position / kTile);
      if (position != std::floor(position)) {
        if (period == 0 && position == positions[0]) period = row;
        if (period > 0 && position == positions[row - period]) {
          copy(out.from_row(row - period), out.step(), out, row);
        } else {
          fill_row(position, out, row);
        }
        ++row;
        continue;
      }
      const std::size_t start = row;
      double next = position;
      while (row < positions.size() && positions[row] == next && next < first + kTile) {
        ++row;
        ++next;
      }
      if (row - start == kTileRows) {
        fill_tile(first, out.order, out.from_row(start));
        continue;
      }
      hold_tile(first);
      for (std::size_t i = start; i < row; ++i)
        copy(held_row(static_cast<std::size_t>(positions[i] - first)), 1, out, i);
    }
  }

 private:
  void fill_row(double position, const Table& out, std::size_t row) {
    const AnglesView angles = block_.at(position, inv_freq_);
    const TileView to = out.from_row(row);
    for (std::size_t pair = 0; pair < inv_freq_.size(); ++pair) {
      to.sin[pair * out.step()] = static_cast<float>(angles.sin[pair]);
      to.cos[pair * out.step()] = static_cast<float>(angles.cos[pair]);
    }
  }

  /// The rows hold the tile that begins at `first`.
  void hold_tile(double first) {
    if (first == held_) return;
    fill_tile(first, SinCos::apart, held_row(0));
    held_ = first;
  }

  [[nodiscard]] TileView held_row(std::size_t row) {
    const auto stride = static_cast<std::size_t>(rows_.cols());
    return {rows_.all().subspan(row * stride), rows_.all().subspan(row * stride + inv_freq_.size()), stride};
  }

  void copy(const TileView& from, std::size_t step, const Table& out, std::size_t row) const {
    const TileView to = out.from_row(row);
    for (std::size_t pair = 0; pair < inv_freq_.size(); ++pair) {
      to.sin[pair * out.step()] = from.sin[pair * step];
      to.cos[pair * out.step()] = from.cos[pair * step];
    }
  }

  void fill_tile(double first, SinCos order, const TileView& tile) {
    const double block = kBlock * std::floor(first / kBlock);
    const auto in_block = static_cast<std::size_t>((first - block) / kTile);
    const auto kernel = order == SinCos::apart ? kernels::best.add_angles : kernels::best.add_angles_interleaved;
    kernel(block_.at(block, inv_freq_), centres_[in_block].at(first - block + (kTile - 1.0) / 2.0, inv_freq_), steps(),
           tile);
  }

  /// 0.5, 1.5, ... from the centre of a tile.
  [[nodiscard]] AnglesView steps() {
    // A row of steps is as long as one of an interleaved table, but for these: else, where both begin at like
    // addresses, the processor takes each load for one of what it has just stored, and waits.
    constexpr std::size_t kApart = 8;
    const std::size_t pairs = inv_freq_.size();
    const std::size_t size = kHalfTile * (pairs + kApart);
    if (steps_.empty()) {
      steps_.resize(2 * size);
      for (std::size_t row = 0; row < kHalfTile; ++row) {
        const std::span<double> sin = std::span(steps_).subspan(row * (pairs + kApart));
        kernels::best.sin_cos(static_cast<double>(row) + 0.5, inv_freq_, sin.first(pairs), sin.subspan(size, pairs));
      }
    }
    return {std::span(steps_).first(size), std::span(steps_).last(size)};
  }

  std::span<const double> inv_freq_;
  Angles block_;
  std::array<Angles, kTilesInBlock> centres_;
  std::vector<double> steps_;
  Matrix<float> rows_;   ///< [row of a tile][sines, cosines]
  double held_ = kNone;  ///< first position of the tile in them
};

}  // namespace

void cos_sin_table(std::span<const double> positions, std::span<const double> inv_freq, const Columns& cos,
                   const Columns& sin, SinCos order) {
  assert(static_cast<std::size_t>(cos.table.rows()) == positions.size());
  TableBuilder(inv_freq).fill(positions, {cos, sin, order});
}

std::vector<double> along(int axis, MatrixView<const double> positions) {
  std::vector<double> result(static_cast<std::size_t>(positions.rows()));
  for (std::size_t token = 0; token < result.size(); ++token) result[token] = positions(static_cast<int>(token), axis);
  return result;
}

}  // namespace posenc
