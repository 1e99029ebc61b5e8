#include "posenc/encoding.hpp"

#include <cmath>
#include <string>

#include "posenc/describe.hpp"
#include "posenc/error.hpp"

namespace posenc {
namespace {

constexpr int kMaxDim = 1 << 20;

void validate_dim(const char* name, int value) {
  if (value >= 1 && value <= kMaxDim) return;
  fail(ErrorCode::out_of_range, "", std::string("dims.") + name, "be from 1 to " + std::to_string(kMaxDim),
       std::to_string(value));
}

}  // namespace

void validate(const Dims& dims) {
  validate_dim("d_model", dims.d_model);
  validate_dim("n_heads", dims.n_heads);
  validate_dim("head_dim", dims.head_dim);
}

void validate_positions(Positions positions, int axes, const char* field) {
  if (positions.cols() != axes) {
    fail(ErrorCode::shape_mismatch, "", field, "have " + std::to_string(axes) + " axes",
         std::to_string(positions.cols()));
  }
  for (int token = 0; token < positions.rows(); ++token) {
    for (const double position : positions.row(token)) {
      if (std::abs(position) <= kMaxPosition) continue;
      const std::string given = to_text(position) + " at token " + std::to_string(token);
      if (!std::isfinite(position)) fail(ErrorCode::not_finite, "", field, "be finite numbers", given);
      fail(ErrorCode::position_out_of_range, "", field,
           "be from " + to_text(-kMaxPosition) + " to " + to_text(kMaxPosition), given);
    }
  }
}

void validate_seq_len(double seq_len) {
  if (!std::isfinite(seq_len)) {
    fail(ErrorCode::not_finite, "", "seq_len", "be a finite number", to_text(seq_len));
  }
  if (seq_len < 0.0 || seq_len > kMaxPosition + 1.0) {
    throw Error(
        {ErrorCode::out_of_range, "", "seq_len", "be from 0 to " + to_text(kMaxPosition + 1.0), to_text(seq_len)});
  }
}

Encoding make(const Spec& spec) {
  validate(spec.dims);
  const EncodingInfo& info = find_encoding(spec.encoding);
  Encoding encoding = info.make(info, spec);
  encoding.dims = spec.dims;
  return encoding;
}

}  // namespace posenc
