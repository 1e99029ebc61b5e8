#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

/// Encodings whose bias reads nothing but positions on a line.
std::vector<const EncodingInfo*> line_biases() {
  std::vector<const EncodingInfo*> result;
  for (const EncodingInfo* info : encodings()) {
    if (has(info->seams, Seam::bias) && info->axes == 1 && !info->needs_content) result.push_back(info);
  }
  REQUIRE(result.size() >= 7);
  return result;
}

Matrix<float> bias_of(const Encoding& encoding, Positions q, Positions k, int head) {
  Matrix<float> out(q.rows(), k.rows());
  encoding.bias->bias({q, k, head}, out.view());
  return out;
}

}  // namespace

TEST_CASE("bias: consecutive positions give the bytes of each pair alone", "[bias]") {
  const auto [n_queries, n_keys] = GENERATE(std::pair{1, 1}, std::pair{1, 9}, std::pair{9, 1}, std::pair{7, 12});
  const double first_key = GENERATE(0.0, 5.0, 300.0);
  const Matrix<double> q = count(n_queries, 3.0);
  const Matrix<double> k = count(n_keys, first_key);
  for (const EncodingInfo* info : line_biases()) {
    const Encoding encoding = make(spec(std::string(info->id), {.d_model = 16, .n_heads = 4, .head_dim = 4}));
    for (const int head : {0, 3}) {
      const Matrix<float> all = bias_of(encoding, q.view(), k.view(), head);
      for (int i = 0; i < n_queries; ++i) {
        for (int j = 0; j < n_keys; ++j) {
          const Matrix<double> one_q = positions({q(i, 0)});
          // Half a token further is on no grid: it goes the other way.
          const Matrix<double> two_k = positions({k(j, 0), k(j, 0) + 0.5});
          INFO(info->id << " head " << head << " query " << i << " key " << j);
          REQUIRE(all(i, j) == bias_of(encoding, one_q.view(), two_k.view(), head)(0, 0));
        }
      }
    }
  }
}

TEST_CASE("bias: no queries, no keys", "[bias]") {
  for (const EncodingInfo* info : line_biases()) {
    const Encoding encoding = make(spec(std::string(info->id), {.d_model = 16, .n_heads = 4, .head_dim = 4}));
    for (const auto& [n_queries, n_keys] : {std::pair{0, 0}, std::pair{0, 3}, std::pair{3, 0}}) {
      INFO(info->id);
      CHECK(bias_of(encoding, count(n_queries).view(), count(n_keys).view(), 0).all().empty());
    }
  }
}
