/// Relative vectors of Shaw et al.: a learned vector for each offset meets q, and one is mixed into the output.
///
///   dots[i][j] = q_i · k_j + q_i · a[r],   output[i] = sum over j of weights[i][j] * (v_j + b[r])
///
///   paper:          r = clip(j - i, -k, k) + k, k = max_distance; tables a (keys) and b (values)
///   opennmt:        the same r; b is a
///   bert_key:       r = i - j + max_position - 1, no clipping, an end; no b
///   bert_key_query: the same, and k_j · a[r] is added too
///
/// All products are scaled together (OpenNMT scales q first, which is the same). Every head has the same tables.
///
/// @source paper: Shaw et al. 2018, arXiv:1803.02155, sections 3.2 and 3.3, and tensor2tensor; opennmt: OpenNMT-py,
///         multi_headed_attn.py (max_relative_positions); bert_key, bert_key_query: position_embedding_type
///         relative_key and relative_key_query of Hugging Face BERT, the latter from Huang et al. 2020,
///         arXiv:2009.13658, method 4

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "posenc/error.hpp"
#include "posenc/relative.hpp"
#include "posenc/seeded.hpp"

#include "encodings/define.hpp"
#include "encodings/registry.hpp"
#include "kernels/kernels.hpp"

namespace posenc {
namespace {

enum class Convention { paper, opennmt, bert_key, bert_key_query };

constexpr std::array kConventions{
    Choice{"paper", "paper", "offsets are clipped; a table for keys and one for values (Shaw et al., tensor2tensor)"},
    Choice{"opennmt", "OpenNMT", "offsets are clipped; one table for keys and values (OpenNMT)"},
    Choice{"bert_key", "BERT, key", "offsets are not clipped, no values (BERT's relative_key)"},
    Choice{"bert_key_query", "BERT, key and query",
           "as relative_key, and the vectors meet k as well as q (BERT's relative_key_query)"},
};

struct ShawParams {
  Convention convention = Convention::paper;
  int max_distance = 16;
  int max_position = 512;
  std::uint64_t seed = 7;
  double stddev = 1.0;

  [[nodiscard]] bool clips() const { return convention == Convention::paper || convention == Convention::opennmt; }
  [[nodiscard]] int table_rows() const { return clips() ? 2 * max_distance + 1 : 2 * max_position - 1; }
  [[nodiscard]] int tables() const { return convention == Convention::paper ? 2 : 1; }
};

constexpr std::array kFields{
    field<&ShawParams::convention>({
        .name = "convention",
        .label = "Convention",
        .doc = "Whether offsets are clipped, and what the vectors meet besides q.",
        .choices = kConventions,
    }),
    field<&ShawParams::max_distance>({
        .name = "max_distance",
        .label = "Farthest distance",
        .unit = "tokens",
        .doc = "From here on all distances share a vector, one for each direction.",
        .min = 1,
        .max = 4096,
        .log_scale = true,
        .only_with = {"convention", "paper opennmt"},
    }),
    field<&ShawParams::max_position>({
        .name = "max_position",
        .label = "Longest sequence",
        .unit = "tokens",
        .doc = "Words farther apart than the table reaches have no vector and cannot be encoded.",
        .min = 1,
        .max = 65536,
        .log_scale = true,
        .only_with = {"convention", "bert_key bert_key_query"},
    }),
    field<&ShawParams::seed>({
        .name = "seed",
        .label = "Table seed",
        .doc = "The table is random here, not trained; this number chooses it.",
        .min = 0,
        .max = kMaxSeed,
    }),
    field<&ShawParams::stddev>({
        .name = "stddev",
        .label = "Table size σ",
        .doc = "Standard deviation of the seeded numbers. Keys of words here have 1.",
        .min = 0,
        .max = 10,
    }),
};

class ShawVectors final : public RelativeVectors {
 public:
  ShawVectors(const ShawParams& params, std::span<const float> weights, int head_dim)
      : params_(params),
        keys_(weights.first(weights.size() / static_cast<std::size_t>(params.tables())), params.table_rows(), head_dim),
        values_(weights.last(keys_.all().size()), params.table_rows(), head_dim) {}

  [[nodiscard]] int head_dim() const override { return keys_.cols(); }
  [[nodiscard]] int value_dim() const override { return params_.clips() ? keys_.cols() : 0; }

  void add_to_dots(const RelativeQuery& query, MatrixView<float> dots) const override {
    const VectorIndex index = index_of(query);
    add_vector_dots(Operand::q, query.q, keys_, index, dots);
    if (meets_k()) add_vector_dots(Operand::k, query.k, keys_, index, dots);
  }

  void collect(const RelativeQuery& query, MatrixView<const float> grad_dots,
               const RelativeGradients& gradients) const override {
    const VectorIndex index = index_of(query);
    const MatrixView grad_keys(gradients.weights.first(keys_.all().size()), keys_.rows(), keys_.cols());
    collect_vector_dots(Operand::q, query.q, keys_, index, grad_dots, {gradients.q, grad_keys});
    if (meets_k()) collect_vector_dots(Operand::k, query.k, keys_, index, grad_dots, {gradients.k, grad_keys});
  }

  void add_to_output(const RelativeQuery& query, MatrixView<const float> weights,
                     MatrixView<float> output) const override {
    if (!params_.clips()) return;
    const VectorIndex index = index_of(query);
    for (int i = 0; i < weights.rows(); ++i) {
      for (int j = 0; j < weights.cols(); ++j) {
        kernels::best.add_scaled(weights(i, j), values_.row(index(i % index.rows(), j)), output.row(i));
      }
    }
  }

  void collect_output(const RelativeQuery& query, MatrixView<const float> weights, MatrixView<const float> grad_output,
                      MatrixView<float> grad_attention, std::span<float> grad_weights) const override {
    if (!params_.clips()) return;
    const VectorIndex index = index_of(query);
    const MatrixView grad_values(grad_weights.last(values_.all().size()), values_.rows(), values_.cols());
    for (int i = 0; i < weights.rows(); ++i) {
      for (int j = 0; j < weights.cols(); ++j) {
        const int row = index(i % index.rows(), j);
        grad_attention(i, j) += kernels::best.dot(grad_output.row(i), values_.row(row));
        kernels::best.add_scaled(weights(i, j), grad_output.row(i), grad_values.row(row));
      }
    }
  }

 private:
  [[nodiscard]] bool meets_k() const { return params_.convention == Convention::bert_key_query; }

  [[nodiscard]] VectorIndex index_of(const RelativeQuery& query) const {
    VectorIndex index(query.q_positions.rows(), query.k_positions.rows());
    for (int i = 0; i < index.rows(); ++i) {
      for (int j = 0; j < index.cols(); ++j) index(i, j) = row_of(query.k_positions(j, 0) - query.q_positions(i, 0));
    }
    return index;
  }

  /// Of a fractional offset: the row of the whole number next to it towards 0.
  [[nodiscard]] int row_of(double offset) const {
    if (params_.clips()) {
      const double k = params_.max_distance;
      return static_cast<int>(std::clamp(offset, -k, k)) + params_.max_distance;
    }
    if (std::abs(offset) < params_.max_position) return static_cast<int>(-offset) + params_.max_position - 1;
    fail(ErrorCode::position_out_of_range, "shaw", "positions",
         "be less than " + std::to_string(params_.max_position) + " tokens apart (max_position)", to_text(offset));
  }

  ShawParams params_;
  MatrixView<const float> keys_;
  MatrixView<const float> values_;  ///< the same numbers where there is one table
};

Encoding make_shaw(const ShawParams& params, const Dims& dims, std::vector<float> given) {
  Encoding encoding;
  encoding.weights = given_or_seeded(std::move(given), params.tables() * params.table_rows(), dims.head_dim,
                                     params.clips() ? (params.tables() == 2 ? "(2 * (2 * max_distance + 1), head_dim)"
                                                                            : "(2 * max_distance + 1, head_dim)")
                                                    : "(2 * max_position - 1, head_dim)",
                                     params.seed, params.stddev);
  encoding.relative = std::make_unique<ShawVectors>(params, encoding.weights, dims.head_dim);
  return encoding;
}

}  // namespace

constexpr EncodingInfo kShaw = define<kFields, make_shaw>({
    .id = "shaw",
    .name = "Shaw",
    .family = Family::relative,
    .seams = Seam::relative,
    .authors = "Shaw et al.",
    .year = 2018,
    .url = "https://arxiv.org/abs/1803.02155",
    .summary =
        "A learned vector for each signed distance joins the key, and another the value; far distances share one.",
    .weights_shape =
        "keys, then values: [2 * max_distance + 1][head_dim] each; opennmt one; BERT one, 2 * max_position - 1",
});

}  // namespace posenc
