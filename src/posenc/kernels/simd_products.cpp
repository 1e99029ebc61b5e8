#include "kernels/simd_products.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>

#include "kernels/simd_batch.hpp"

// Every element of a product is one sum, k ascending, whatever stands around it; so blocks, and zeros that fill one up,
// leave no trace in the result.
//
//   panel   kPanel columns of the right factor, packed as [k][kPanel]
//   strip   kRows rows of the left factor, packed as [k][kRows]; so many of both that they stay in the nearest caches:
//           kGroup rows and kInner summands at once
//   tile    kRows x kPanel sums, which stay in registers while a strip meets a panel

namespace posenc::kernels {
namespace {

constexpr std::size_t kRows = 4;
static_assert(kPanel == 2 * kFloats);
constexpr std::size_t kInner = 128;
constexpr std::size_t kGroup = 32;

enum class Start { zero, out };

/// A part of a matrix: `stride` from one row to the next.
template <class T>
struct Part {
  T* data;
  std::size_t stride;

  [[nodiscard]] T* row(std::size_t i) const { return data + i * stride; }
};

struct RowOfTile {
  Floats left;
  Floats right;

  void add(float a, Floats b_left, Floats b_right) {
    left += Floats(a) * b_left;
    right += Floats(a) * b_right;
  }
  void store(float* out) const {
    left.store_unaligned(out);
    right.store_unaligned(out + kFloats);
  }
};

RowOfTile first_sums(const float* out, Start start) {
  if (start == Start::zero) return {Floats(0.0F), Floats(0.0F)};
  return {Floats::load_unaligned(out), Floats::load_unaligned(out + kFloats)};
}

/// One tile. V8 is touchy about this loop: 4 rows and 2 blocks, not unrolled, one pointer with a fixed step for each
/// operand. Other shapes that were tried reach from half to five sixths of its speed.
void add_tile(const float* strip, const float* panel, std::size_t inner, Start start, const Part<float>& out) {
  RowOfTile row0 = first_sums(out.row(0), start);
  RowOfTile row1 = first_sums(out.row(1), start);
  RowOfTile row2 = first_sums(out.row(2), start);
  RowOfTile row3 = first_sums(out.row(3), start);
  const float* const end = panel + inner * kPanel;
#pragma GCC unroll 1
  for (; panel != end; panel += kPanel) {
    const Floats left = Floats::load_unaligned(panel);
    const Floats right = Floats::load_unaligned(panel + kFloats);
    row0.add(strip[0], left, right);
    row1.add(strip[1], left, right);
    row2.add(strip[2], left, right);
    row3.add(strip[3], left, right);
    strip += kRows;
  }
  row0.store(out.row(0));
  row1.store(out.row(1));
  row2.store(out.row(2));
  row3.store(out.row(3));
}

/// A tile that is cut off on the right or below. (A bound inside the inner loop: a short copy would become a call.)
void add_cut_tile(const float* strip, const float* panel, std::size_t inner, Start start, const Part<float>& out,
                  std::size_t rows, std::size_t cols) {
  std::array<float, kRows * kPanel> tile;
  const auto copy = [&](const Part<float>& from, const Part<float>& to) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (cols == kPanel) {
        Floats::load_unaligned(from.row(i)).store_unaligned(to.row(i));
        Floats::load_unaligned(from.row(i) + kFloats).store_unaligned(to.row(i) + kFloats);
        continue;
      }
      for (std::size_t j = 0; j < kPanel - 1; ++j) {
        if (j < cols) to.row(i)[j] = from.row(i)[j];
      }
    }
  };
  const Part<float> whole{tile.data(), kPanel};
  if (start == Start::out) {
    tile.fill(0.0F);
    copy(out, whole);
  }
  add_tile(strip, panel, inner, start, whole);
  copy(whole, out);
}

/// Packs columns of a matrix into panels of `width`, each one row after the other. Whatever comes next in memory fills
/// the last one up.
///
/// @param end  of the matrix
void pack_columns(const Part<const float>& from, const float* end, std::size_t rows, std::size_t cols,
                  std::size_t width, float* packed) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = from.row(i);
    float* panel = packed + i * width;
    for (std::size_t j = 0; j < cols; j += width, row += width, panel += rows * width) {
      if (end - row >= static_cast<std::ptrdiff_t>(width)) {
        for (std::size_t lane = 0; lane < width; lane += kFloats) {
          Floats::load_unaligned(row + lane).store_unaligned(panel + lane);
        }
      } else {
        for (std::size_t lane = 0; lane < width; ++lane) panel[lane] = row + lane < end ? row[lane] : 0.0F;
      }
    }
  }
}

/// Four columns of four rows become four rows, `width` apart.
void transpose(const std::array<const float*, kFloats>& rows, std::size_t column, std::size_t width, float* out) {
  const Floats row0 = Floats::load_unaligned(rows[0] + column);
  const Floats row1 = Floats::load_unaligned(rows[1] + column);
  const Floats row2 = Floats::load_unaligned(rows[2] + column);
  const Floats row3 = Floats::load_unaligned(rows[3] + column);
  const Floats even_low = xsimd::zip_lo(row0, row2);
  const Floats even_high = xsimd::zip_hi(row0, row2);
  const Floats odd_low = xsimd::zip_lo(row1, row3);
  const Floats odd_high = xsimd::zip_hi(row1, row3);
  xsimd::zip_lo(even_low, odd_low).store_unaligned(out);
  xsimd::zip_hi(even_low, odd_low).store_unaligned(out + width);
  xsimd::zip_lo(even_high, odd_high).store_unaligned(out + 2 * width);
  xsimd::zip_hi(even_high, odd_high).store_unaligned(out + 3 * width);
}

/// Packs rows of a matrix as if they were columns; the last row again fills the last panel up.
void pack_rows(const Part<const float>& from, std::size_t rows, std::size_t cols, std::size_t width, float* packed) {
  const std::size_t whole = whole_blocks(cols, kFloats);
  for (std::size_t panel = 0; panel < rows; panel += width, packed += cols * width) {
    for (std::size_t lane = 0; lane < width; lane += kFloats) {
      std::array<const float*, kFloats> four;
      for (std::size_t i = 0; i < kFloats; ++i) four[i] = from.row(std::min(panel + lane + i, rows - 1));
      float* const to = packed + lane;
      for (std::size_t j = 0; j < whole; j += kFloats) transpose(four, j, width, to + j * width);
      for (std::size_t j = whole; j < cols; ++j) {
        for (std::size_t i = 0; i < kFloats; ++i) to[j * width + i] = four[i][j];
      }
    }
  }
}

/// A factor of a product; transposed: the summands run down its columns (left) or along its rows (right).
struct Factor {
  Part<const float> part;
  const float* end;
  bool transposed;

  Factor(MatrixView<const float> matrix, bool is_transposed)
      : part{matrix.all().data(), static_cast<std::size_t>(matrix.cols())},
        end(part.data + matrix.all().size()),
        transposed(is_transposed) {}

  [[nodiscard]] Part<const float> from(std::size_t row, std::size_t col) const {
    return {part.row(row) + col, part.stride};
  }
};

/// Rows, packed as strips, meet one panel.
void add_panel(const float* strips, std::size_t rows, const float* panel, std::size_t inner, std::size_t width,
               Start start, const Part<float>& out) {
  for (std::size_t i = 0; i < rows; i += kRows, strips += kRows * inner) {
    const std::size_t height = std::min(kRows, rows - i);
    const Part<float> tile{out.row(i), out.stride};
    if (height == kRows && width == kPanel) {
      add_tile(strips, panel, inner, start, tile);
    } else {
      add_cut_tile(strips, panel, inner, start, tile, height, width);
    }
  }
}

/// Some rows, packed as strips, meet all panels.
void add_group(const float* strips, std::size_t rows, const Panels& b, Start start, const Part<float>& out) {
  for (std::size_t j = 0; j < b.cols; j += kPanel) {
    const float* const panel = b.columns(j, kPanel).numbers;
    add_panel(strips, rows, panel, b.inner, std::min(kPanel, b.cols - j), start, {out.data + j, out.stride});
  }
}

std::size_t size_of(int number) { return static_cast<std::size_t>(number); }

/// out = a * b, or out += a * b.
void product(const Factor& a, const Panels& b, Start start, MatrixView<float> out) {
  const std::size_t rows = size_of(out.rows());
  if (b.inner == 0 && start == Start::zero) std::ranges::fill(out.all(), 0.0F);
  std::array<float, kInner * kGroup> strips;
  for (std::size_t i = 0; i < rows; i += kGroup) {
    const std::size_t height = std::min(kGroup, rows - i);
    for (std::size_t k = 0; k < b.inner; k += kInner) {
      const std::size_t depth = std::min(kInner, b.inner - k);
      if (a.transposed) {
        pack_columns(a.from(k, i), a.end, depth, height, kRows, strips.data());
      } else {
        pack_rows(a.from(i, k), height, depth, kRows, strips.data());
      }
      add_group(strips.data(), height, b.summands(k, depth), k == 0 ? start : Start::out,
                {out.all().data() + i * b.cols, b.cols});
    }
  }
}

Panels pack_factor(const Factor& b, std::size_t inner, std::size_t cols, float* panels) {
  if (b.transposed) {
    pack_rows(b.part, cols, inner, kPanel, panels);
  } else {
    pack_columns(b.part, b.end, inner, cols, kPanel, panels);
  }
  return {panels, inner * kPanel, inner, cols};
}

/// Packs the right factor for this product alone.
void product(const Factor& a, const Factor& b, std::size_t inner, Start start, MatrixView<float> out) {
  constexpr std::size_t kSmall = 4096;
  const std::size_t cols = size_of(out.cols());
  const std::size_t size = Panels::size(inner, cols);
  std::array<float, kSmall> small;
  std::unique_ptr<float[]> large;
  if (size > kSmall) large = std::make_unique_for_overwrite<float[]>(size);
  product(a, pack_factor(b, inner, cols, size > kSmall ? large.get() : small.data()), start, out);
}

}  // namespace

namespace by_simd {

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols());
  product({a, false}, {b, false}, size_of(a.cols()), Start::zero, out);
}

void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.cols() == b.cols() && out.rows() == a.rows() && out.cols() == b.rows());
  product({a, false}, {b, true}, size_of(a.cols()), Start::zero, out);
}

Panels pack(MatrixView<const float> b, std::span<float> panels) {
  assert(panels.size() == Panels::size(size_of(b.rows()), size_of(b.cols())));
  return pack_factor({b, false}, size_of(b.rows()), size_of(b.cols()), panels.data());
}

Panels pack_transposed(MatrixView<const float> b, std::span<float> panels) {
  assert(panels.size() == Panels::size(size_of(b.cols()), size_of(b.rows())));
  return pack_factor({b, true}, size_of(b.cols()), size_of(b.rows()), panels.data());
}

void multiply_panels(MatrixView<const float> a, const Panels& b, MatrixView<float> out) {
  assert(size_of(a.cols()) == b.inner && out.rows() == a.rows() && size_of(out.cols()) == b.cols);
  product({a, false}, b, Start::zero, out);
}

void add_panels_product(MatrixView<const float> a, const Panels& b, MatrixView<float> out) {
  assert(size_of(a.cols()) == b.inner && out.rows() == a.rows() && size_of(out.cols()) == b.cols);
  product({a, false}, b, Start::out, out);
}

void add_transposed_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
  product({a, true}, {b, false}, size_of(a.rows()), Start::out, out);
}

}  // namespace by_simd

}  // namespace posenc::kernels
