#include "posenc/angles.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"

namespace posenc {
namespace {

constexpr double kFine = 64.0;

/// sin and cos of position * inv_freq in double, kept for the last position that was asked for.
class Angles {
 public:
  explicit Angles(std::span<const double> inv_freq)
      : inv_freq_(inv_freq), angles_(inv_freq.size()), sin_(inv_freq.size()), cos_(inv_freq.size()) {}

  [[nodiscard]] kernels::AnglesView at(double position) {
    if (position != position_) {
      for (std::size_t pair = 0; pair < angles_.size(); ++pair) angles_[pair] = position * inv_freq_[pair];
      kernels::best.sin_cos_double(angles_, sin_, cos_);
      position_ = position;
    }
    return {sin_, cos_};
  }

 private:
  std::span<const double> inv_freq_;
  std::vector<double> angles_;
  std::vector<double> sin_;
  std::vector<double> cos_;
  double position_ = -1.0;  // none yet: positions here are not negative
};

bool is_whole(double position) { return position >= 0.0 && position == std::floor(position); }

}  // namespace

void cos_sin_table(std::span<const double> positions, std::span<const double> inv_freq, MatrixView<float> cos,
                   MatrixView<float> sin) {
  assert(static_cast<std::size_t>(cos.rows()) == positions.size());
  Angles coarse(inv_freq);
  std::vector<std::optional<Angles>> fine(static_cast<std::size_t>(kFine));
  std::vector<double> angles(inv_freq.size());
  for (int row = 0; row < cos.rows(); ++row) {
    const double position = positions[static_cast<std::size_t>(row)];
    if (is_whole(position)) {
      const double coarse_position = kFine * std::floor(position / kFine);
      std::optional<Angles>& rest = fine[static_cast<std::size_t>(position - coarse_position)];
      if (!rest.has_value()) rest.emplace(inv_freq);
      kernels::best.add_angles(coarse.at(coarse_position), rest->at(position - coarse_position), sin.row(row),
                               cos.row(row));
    } else {
      for (std::size_t pair = 0; pair < angles.size(); ++pair) angles[pair] = position * inv_freq[pair];
      kernels::best.sin_cos(angles, sin.row(row), cos.row(row));
    }
  }
}

}  // namespace posenc
