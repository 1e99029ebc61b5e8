#include "golden.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace posenc;
using namespace posenc::test;

namespace {

/// [row][head][channel] to [row][channel] of one head.
Matrix<float> of_head(const json& tensor, std::size_t head) {
  json rows = json::array();
  for (const json& row : tensor) rows.push_back(row[head]);
  return golden_matrix(rows);
}

void append(std::vector<float>& weights, const json& tensor) {
  for (const double number : numbers(tensor)) weights.push_back(static_cast<float>(number));
}

void check_output(const json& c, const Spec& spec) {
  const Encoding encoding = make(spec);
  const Matrix<double> at = positions_of(c);
  for (std::size_t head = 0; head < c["inputs"]["q"].size(); ++head) {
    const Matrix<float> q = golden_matrix(c["inputs"]["q"][head]);
    const Matrix<float> k = golden_matrix(c["inputs"]["k"][head]);
    const Matrix<float> v = golden_matrix(c["inputs"]["v"][head]);
    const HeadAttention got = attend(encoding, {.q = q.view(),
                                                .k = k.view(),
                                                .v = v.view(),
                                                .q_positions = at.view(),
                                                .k_positions = at.view(),
                                                .mask = {},
                                                .head = static_cast<int>(head)});
    check_close(got.output.all(), c["expected"]["output"][head], kLogits);
  }
}

void check_shaw(const json& c, const char* convention, const char* reach_name, const char* reach, const char* table) {
  INFO(c["name"]);
  Spec shaw = spec("shaw", dims_of(c),
                   {{"convention", std::string(convention)}, {reach_name, c["params"][reach].get<double>()}});
  append(shaw.weights, c["inputs"][table]);
  check_attention(c, shaw, positions_of(c), positions_of(c));
  check_output(c, shaw);
}

}  // namespace

TEST_CASE("golden: relative vectors as BERT has them", "[golden][shaw]") {
  for (const json& c : golden_cases("shaw-bert")) {
    const bool meets_k = c["params"]["position_embedding_type"] == "relative_key_query";
    check_shaw(c, meets_k ? "bert_key_query" : "bert_key", "max_position", "max_position_embeddings",
               "distance_embedding");
  }
}

TEST_CASE("golden: relative vectors as OpenNMT has them, in the output too", "[golden][shaw]") {
  int indices = 0;
  for (const json& c : golden_cases("shaw-opennmt")) {
    if (c.contains("inputs")) check_shaw(c, "opennmt", "max_distance", "max_relative_positions", "relative_table");

    INFO(c["name"]);
    // Vectors of one number, the number of their row, seen by a query of 1.
    const int keys = c["params"]["seq_len"];
    const int queries = static_cast<int>(c["expected"]["index"].size());
    const double reach = c["params"]["max_relative_positions"];
    Spec rows = spec("shaw", {.d_model = 1, .n_heads = 1, .head_dim = 1},
                     {{"convention", std::string("opennmt")}, {"max_distance", reach}});
    for (int row = 0; row <= 2 * static_cast<int>(reach); ++row) rows.weights.push_back(static_cast<float>(row));
    Matrix<float> ones(queries, 1);
    std::ranges::fill(ones.all(), 1.0F);
    const Matrix<float> zeros(keys, 1);
    Matrix<float> dots(queries, keys);
    make(rows).relative->add_to_dots(
        {ones.view(), zeros.view(), count(queries, keys - queries).view(), count(keys).view(), 0}, dots.view());
    check_close(dots.all(), c["expected"]["index"], 0.0);
    ++indices;
  }
  CHECK(indices == 4);
}

namespace {

/// Rows of r as an encoding of sinusoidal vectors sees them at these distances: W = 1, u = v = 0, unit queries, no
/// keys.
Matrix<float> waves(const char* id, int d_model, double clamp_len, const Matrix<double>& distances) {
  Spec identity =
      spec(id, {.d_model = d_model, .n_heads = 1, .head_dim = d_model}, {{"clamp_len", std::max(clamp_len, 0.0)}});
  Matrix<float> unit(d_model, d_model);
  for (int i = 0; i < d_model; ++i) unit(i, i) = 1.0F;
  identity.weights.assign(unit.all().begin(), unit.all().end());
  identity.weights.resize(static_cast<std::size_t>(d_model) * static_cast<std::size_t>(d_model + 2));
  Matrix<double> q_at(d_model, 1);
  Matrix<double> k_at = distances;
  for (double& position : k_at.all()) position = -position;
  const Matrix<float> nothing(k_at.rows(), d_model);
  Matrix<float> dots(d_model, k_at.rows());
  make(identity).relative->add_to_dots({unit.view(), nothing.view(), q_at.view(), k_at.view(), 0}, dots.view());
  Matrix<float> rows(dots.cols(), dots.rows());
  for (int i = 0; i < rows.rows(); ++i) {
    for (int j = 0; j < rows.cols(); ++j) rows(i, j) = dots(j, i);
  }
  return rows;
}

/// first, first - 1, ...
Matrix<double> count_down(std::size_t length, double first) {
  Matrix<double> result = count(static_cast<int>(length));
  for (double& distance : result.all()) distance = first - distance;
  return result;
}

/// x · w^T, columns first .. first + count - 1.
Matrix<float> projected(const Matrix<float>& x, const Matrix<float>& w, int first, int count) {
  Matrix<float> out(x.rows(), count);
  for (int i = 0; i < x.rows(); ++i) {
    for (int j = 0; j < count; ++j) {
      double sum = 0.0;
      for (int m = 0; m < x.cols(); ++m) {
        sum += static_cast<double>(x(i, m)) * static_cast<double>(w(first + j, m));
      }
      out(i, j) = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("golden: Transformer-XL as its authors have it, with and without memory", "[golden][transformer_xl]") {
  for (const json& c : golden_cases("transformer-xl")) {
    INFO(c["name"]);
    const json& params = c["params"];
    const int n_heads = params["heads"];
    const int head_dim = params["head_dim"];
    const int mem_len = params["mem_len"];
    const int qlen = params["qlen"];
    const json& rows = c["expected"]["pos_emb"];
    check_close(waves("transformer_xl", params["d_model"], 0, count_down(rows.size(), mem_len + qlen - 1)).all(), rows,
                kNear);

    Spec xl = spec("transformer_xl", {.d_model = params["d_model"], .n_heads = n_heads, .head_dim = head_dim});
    for (const char* name : {"r_weight", "r_w_bias", "r_r_bias"}) append(xl.weights, c["inputs"][name]);
    json words = mem_len > 0 ? c["inputs"]["mems"] : json::array();
    for (const json& row : c["inputs"]["w"]) words.push_back(row);
    const Matrix<float> x = golden_matrix(words);
    const Matrix<float> queries = golden_matrix(c["inputs"]["w"]);
    const Matrix<float> qkv = golden_matrix(c["inputs"]["qkv_weight"]);
    const Encoding encoding = make(xl);
    for (int head = 0; head < n_heads; ++head) {
      const Matrix<float> q = projected(queries, qkv, head * head_dim, head_dim);
      const Matrix<float> k = projected(x, qkv, (n_heads + head) * head_dim, head_dim);
      const Matrix<double> q_at = count(qlen, mem_len);
      const Matrix<double> k_at = count(x.rows());
      HeadAttention got = attend(encoding, {.q = q.view(),
                                            .k = k.view(),
                                            .q_positions = q_at.view(),
                                            .k_positions = k_at.view(),
                                            .mask = {.kind = Mask::Kind::causal},
                                            .head = head,
                                            .scale = params["softmax_scale"].get<float>()});
      // Above the diagonal the file has zeros.
      for (int i = 0; i < qlen; ++i) {
        for (int j = i + mem_len + 1; j < x.rows(); ++j) got.logits(i, j) = 0.0F;
      }
      const auto of = static_cast<std::size_t>(head);
      check_close(got.logits.all(), c["expected"]["logits_causal_part"][of], kLogits);
      check_close(got.weights.all(), c["expected"]["softmax_causal"][of], kLogits);
    }
  }
}

TEST_CASE("golden: XLNet as Hugging Face has it, both ways and one", "[golden][xlnet]") {
  int attentions = 0;
  for (const json& c : golden_cases("xlnet-hf")) {
    INFO(c["name"]);
    const json& params = c["params"];
    const json& expected = c["expected"];
    if (expected.contains("pos_emb")) {
      const Matrix<double> distances = count_down(expected["pos_emb"].size(), params["klen"].get<double>());
      check_close(waves("xlnet", params["d_model"], params["clamp_len"], distances).all(), expected["pos_emb"], kNear);
      continue;
    }
    const Dims dims{.d_model = params["d_model"], .n_heads = params["heads"], .head_dim = params["head_dim"]};
    Spec xlnet = spec("xlnet", dims);
    for (std::size_t head = 0; head < static_cast<std::size_t>(dims.n_heads); ++head) {
      const Matrix<float> r = of_head(c["inputs"]["r"], head);
      for (int channel = 0; channel < r.cols(); ++channel) {
        for (int m = 0; m < r.rows(); ++m) xlnet.weights.push_back(r(m, channel));
      }
    }
    for (const char* name : {"r_w_bias", "r_r_bias"}) append(xlnet.weights, c["inputs"][name]);
    json heads = c;
    for (const char* name : {"q", "k"}) {
      heads["inputs"][name] = json::array();
      for (std::size_t head = 0; head < static_cast<std::size_t>(dims.n_heads); ++head) {
        json rows = json::array();
        for (const json& row : c["inputs"][name]) rows.push_back(row[head]);
        heads["inputs"][name].push_back(rows);
      }
    }
    if (params["attn_type"] == "uni") {
      // Without the causal mask that it needs, its shift brings rows of other queries.
      heads["expected"].erase("logits");
      heads["expected"].erase("softmax_full");
    }
    const Matrix<double> at = count(params["seq_len"]);
    check_attention(heads, xlnet, at, at);
    ++attentions;
  }
  CHECK(attentions == 2);
}

TEST_CASE("golden: DeBERTa buckets as Hugging Face has them", "[golden][deberta]") {
  for (const json& c : golden_cases("deberta-bucket-hf")) {
    INFO(c["name"]);
    // Vectors of one number, their own bucket, seen by a query of 1.
    const int span = c["params"]["bucket_size"];
    Spec buckets = spec("deberta", {.d_model = 1, .n_heads = 1, .head_dim = 1},
                        {{"terms", std::string("c2p")},
                         {"bucket_size", static_cast<double>(span)},
                         {"max_position", c["params"]["max_position"].get<double>()}});
    for (int row = 0; row < 2 * span; ++row) buckets.weights.push_back(static_cast<float>(row - span));
    buckets.weights.resize(buckets.weights.size() * 2);
    const double first = c["inputs"]["relative_position"][0];
    const Matrix<double> q_at = count(static_cast<int>(c["expected"]["bucket"].size()), first);
    Matrix<float> ones(q_at.rows(), 1);
    std::ranges::fill(ones.all(), 1.0F);
    const Matrix<float> nothing(1, 1);
    Matrix<float> dots(q_at.rows(), 1);
    make(buckets).relative->add_to_dots({ones.view(), nothing.view(), q_at.view(), positions({0}).view(), 0},
                                        dots.view());
    check_close(dots.all(), c["expected"]["bucket"], 0.0);
  }
}
