#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "reader_support.hpp"

/// The reader once more, in double and as plainly as its formulas: what gradients are compared with.
namespace posenc::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// What the seams of an encoding do in one head, as numbers: rotations, relative vectors and what relative vectors mix
/// into the output are linear, so that unit vectors bring all of it to light.
class HeadTables {
 public:
  HeadTables(const models::Encoded& encoded, const models::Places& places, int head)
      : length_(places.length()), bias_(length_, length_), constant_(length_, length_) {
    if (const Matrix<float>* added = places.added(head)) bias_ = *added;
    const Encoding& encoding = encoded.encoding();
    const Matrix<float> nothing(length_, kReaderDims.head_dim);
    const RelativeQuery query{nothing.view(), nothing.view(), places.positions.view(), places.positions.view(), head};
    if (encoding.relative != nullptr) encoding.relative->add_to_dots(query, constant_.view());
    for (int channel = 0; channel < kReaderDims.head_dim; ++channel) {
      Matrix<float> unit = nothing;
      for (int token = 0; token < length_; ++token) unit(token, channel) = 1.0F;
      turned_q_.push_back(turned(places.q, head, unit));
      turned_k_.push_back(turned(places.k, head, unit));
      if (encoding.relative == nullptr) continue;
      RelativeQuery of_unit = query;
      of_unit.q = unit.view();
      encoding.relative->add_to_dots(of_unit, of_q_.emplace_back(length_, length_).view());
      of_unit = query;
      of_unit.k = unit.view();
      encoding.relative->add_to_dots(of_unit, of_k_.emplace_back(length_, length_).view());
    }
    for (int key = 0; encoding.relative != nullptr && key < length_; ++key) {
      Matrix<float> unit(length_, length_);
      for (int row = 0; row < length_; ++row) unit(row, key) = 1.0F;
      encoding.relative->add_to_output(query, unit.view(), values_.emplace_back(length_, kReaderDims.head_dim).view());
    }
  }

  [[nodiscard]] Row turn_q(const Row& q, int token) const { return turn(turned_q_, q, token); }
  [[nodiscard]] Row turn_k(const Row& k, int token) const { return turn(turned_k_, k, token); }
  [[nodiscard]] double bias(int i, int j) const { return number(bias_(i, j)); }

  /// What relative vectors add to q · k.
  [[nodiscard]] double relative_dot(const Row& q, const Row& k, int i, int j) const {
    double sum = number(constant_(i, j));
    for (std::size_t channel = 0; channel < of_q_.size(); ++channel) {
      sum += q[channel] * (number(of_q_[channel](i, j)) - number(constant_(i, j)));
      sum += k[channel] * (number(of_k_[channel](i, j)) - number(constant_(i, j)));
    }
    return sum;
  }
  /// Added to the value of a key, as a query sees it.
  [[nodiscard]] double relative_value(int i, int j, int channel) const {
    return values_.empty() ? 0.0 : number(values_[static_cast<std::size_t>(j)](i, channel));
  }

 private:
  static double number(float x) { return static_cast<double>(x); }

  static Matrix<float> turned(const models::Turns& turns, int head, Matrix<float> x) {
    if (turns.there.cos.rows() > 0) rotate_head(turns.there, head, x.view());
    return x;
  }
  static Row turn(const std::vector<Matrix<float>>& of_units, const Row& x, int token) {
    Row result(x.size());
    for (std::size_t from = 0; from < x.size(); ++from) {
      for (std::size_t to = 0; to < x.size(); ++to) {
        result[to] += x[from] * number(of_units[from](token, static_cast<int>(to)));
      }
    }
    return result;
  }

  int length_;
  Matrix<float> bias_;
  Matrix<float> constant_;  ///< what relative vectors add where q and k are 0
  std::vector<Matrix<float>> turned_q_;
  std::vector<Matrix<float>> turned_k_;
  std::vector<Matrix<float>> of_q_;
  std::vector<Matrix<float>> of_k_;
  std::vector<Matrix<float>> values_;
};

class DoubleReader {
 public:
  /// @param batch  as fill() left it: before answer() changes its x
  DoubleReader(const models::ReaderModel& model, const models::ReaderBatch& batch)
      : model_(model), sentences_(batch.sentences), parameters_(model.parameters().begin(), model.parameters().end()) {
    for (int token = 0; token < batch.x.view().rows(); ++token) {
      words_.push_back(widen(batch.x.view().row(token)));
    }
    look_at_encoding();
  }

  [[nodiscard]] std::vector<double>& parameters() { return parameters_; }

  /// Makes the tables anew: after the model has other weights of its encoding.
  void look_at_encoding() {
    places_.clear();
    tables_.clear();
    for (const models::Sentence& sentence : sentences_) {
      const int length = length_of(sentence);
      if (places_.contains(length)) continue;
      std::vector<double> positions;
      for (int i = 0; i < length; ++i) positions.push_back(i);
      const models::Places& places = places_.emplace(length, model_.encoded().at(positions)).first->second;
      for (int head = 0; head < kReaderDims.n_heads; ++head) {
        tables_[length].emplace_back(model_.encoded(), places, head);
      }
    }
  }

  /// Mean of -ln(probability of the right word).
  [[nodiscard]] double loss() const {
    double sum = 0.0;
    std::size_t first = 0;
    for (const models::Sentence& sentence : sentences_) {
      sum += loss_of(sentence, first);
      first += static_cast<std::size_t>(length_of(sentence));
    }
    return sum / static_cast<double>(kReaderQuestions * sentences_.size());
  }

 private:
  static int length_of(const models::Sentence& sentence) {
    return kReaderStart + static_cast<int>(sentence.words.size()) + kReaderQuestions;
  }

  [[nodiscard]] const models::NamedSlice& slice(const std::string& name) const {
    return *std::ranges::find(model_.layout().slices(), name, &models::NamedSlice::name);
  }
  [[nodiscard]] double parameter(const models::NamedSlice& named, std::size_t index) const {
    return parameters_[named.slice.begin + index];
  }

  [[nodiscard]] Row linear(const std::string& name, const Row& x) const {
    const models::NamedSlice& weight = slice(name + ".weight");
    const models::NamedSlice& bias = slice(name + ".bias");
    Row out(bias.slice.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = parameter(bias, i);
      for (std::size_t j = 0; j < x.size(); ++j) out[i] += parameter(weight, i * x.size() + j) * x[j];
    }
    return out;
  }

  [[nodiscard]] Row norm(const std::string& name, const Row& x) const {
    const models::NamedSlice& gain = slice(name + ".weight");
    const models::NamedSlice& bias = slice(name + ".bias");
    double mean = 0.0;
    double variance = 0.0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Row out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * parameter(gain, i) + parameter(bias, i);
    }
    return out;
  }

  static Row widen(std::span<const float> row) { return {row.begin(), row.end()}; }
  static Matrix<float> narrow(const Rows& rows) {
    Matrix<float> result(static_cast<int>(rows.size()), static_cast<int>(rows.front().size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::transform(rows[i], result.row(static_cast<int>(i)).begin(),
                             [](double value) { return static_cast<float>(value); });
    }
    return result;
  }

  static double gelu(double x) {
    return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  static double dot(const Row& a, const Row& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  static void softmax(Row& x) {
    const double largest = *std::ranges::max_element(x);
    double sum = 0.0;
    for (double& value : x) sum += value = std::exp(value - largest);
    for (double& value : x) value /= sum;
  }
  static void add(const Row& x, Row& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  }
  /// The part of a row of qkv that is q (0), k (1) or v (2) of a head.
  static Row part(const Row& qkv, int which, int head) {
    const auto begin = qkv.begin() + which * kReaderDims.d_model + head * kReaderDims.head_dim;
    return {begin, begin + kReaderDims.head_dim};
  }

  [[nodiscard]] static Rows parts(const Rows& qkv, int which, int head) {
    Rows result;
    for (const Row& row : qkv) result.push_back(part(row, which, head));
    return result;
  }

  /// Bias that depends on q and on the logits so far: through float, as its seam wants them.
  void add_bias_of_content(const Rows& q, const models::Places& places, int head, Rows& logits) const {
    const Matrix<float> q_in = narrow(q);
    const Matrix<float> logits_in = narrow(logits);
    Matrix<float> bias(places.length(), places.length());
    model_.encoded().encoding().bias->bias(
        {places.positions.view(), places.positions.view(), head, q_in.view(), logits_in.view()}, bias.view());
    for (std::size_t i = 0; i < logits.size(); ++i) add(widen(bias.row(static_cast<int>(i))), logits[i]);
  }

  [[nodiscard]] Rows weights_of(const Rows& q, const Rows& k, const models::Places& places, int head) const {
    const HeadTables& table = tables_.at(places.length())[static_cast<std::size_t>(head)];
    const auto scale = static_cast<double>(model_.encoded().scale());
    Rows turned_q;
    Rows turned_k;
    for (std::size_t i = 0; i < q.size(); ++i) {
      turned_q.push_back(table.turn_q(q[i], static_cast<int>(i)));
      turned_k.push_back(table.turn_k(k[i], static_cast<int>(i)));
    }
    Rows weights(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      for (std::size_t j = 0; j < k.size(); ++j) {
        const auto query = static_cast<int>(i);
        const auto key = static_cast<int>(j);
        const double product = dot(turned_q[i], turned_k[j]) + table.relative_dot(q[i], k[j], query, key);
        weights[i].push_back(scale * product + table.bias(query, key));
      }
    }
    if (model_.encoded().bias_of_content()) add_bias_of_content(q, places, head, weights);
    for (Row& row : weights) softmax(row);
    return weights;
  }

  [[nodiscard]] Rows attended(const Rows& qkv, const models::Places& places) const {
    Rows out(qkv.size());
    for (int head = 0; head < kReaderDims.n_heads; ++head) {
      const HeadTables& table = tables_.at(places.length())[static_cast<std::size_t>(head)];
      const Rows weights = weights_of(parts(qkv, 0, head), parts(qkv, 1, head), places, head);
      const Rows v = parts(qkv, 2, head);
      for (std::size_t i = 0; i < qkv.size(); ++i) {
        for (int channel = 0; channel < kReaderDims.head_dim; ++channel) {
          double sum = 0.0;
          for (std::size_t j = 0; j < v.size(); ++j) {
            sum += weights[i][j] * (v[j][static_cast<std::size_t>(channel)] +
                                    table.relative_value(static_cast<int>(i), static_cast<int>(j), channel));
          }
          out[i].push_back(sum);
        }
      }
    }
    return out;
  }

  /// A sentence with its start and questions; content words are what the batch gave them.
  [[nodiscard]] Rows embedded(const models::Sentence& sentence, std::size_t first) const {
    const auto known = models::function_words().size();
    std::vector<int> tokens{static_cast<int>(known)};
    tokens.insert(tokens.end(), sentence.words.begin(), sentence.words.end());
    for (int i = 0; i < kReaderQuestions; ++i) tokens.push_back(static_cast<int>(known) + kReaderStart + i);
    const models::NamedSlice& embedding = slice("embedding.weight");
    Rows x;
    for (const int token : tokens) {
      Row row = words_[first + x.size()];
      for (std::size_t i = 0; token >= 0 && i < row.size(); ++i) {
        row[i] = parameter(embedding, static_cast<std::size_t>(token) * row.size() + i);
      }
      x.push_back(row);
    }
    const AddsToInput* input = model_.encoded().encoding().input.get();
    const models::Places& places = places_.at(length_of(sentence));
    for (std::size_t token = 0; input != nullptr && token < x.size(); ++token) {
      for (std::size_t i = 0; i < x[token].size(); ++i) {
        x[token][i] = x[token][i] * static_cast<double>(input->embedding_scale()) +
                      static_cast<double>(places.rows(static_cast<int>(token), static_cast<int>(i)));
      }
    }
    return x;
  }

  [[nodiscard]] double loss_of(const models::Sentence& sentence, std::size_t first) const {
    Rows x = embedded(sentence, first);
    for (int layer = 0; layer < kReaderLayers; ++layer) {
      const std::string block = "blocks." + std::to_string(layer) + ".";
      Rows qkv;
      for (const Row& row : x) qkv.push_back(linear(block + "attn.qkv", norm(block + "norm1", row)));
      const Rows mixed = attended(qkv, places_.at(length_of(sentence)));
      for (std::size_t token = 0; token < x.size(); ++token) {
        add(linear(block + "attn.proj", mixed[token]), x[token]);
        Row hidden = linear(block + "mlp.fc1", norm(block + "norm2", x[token]));
        for (double& value : hidden) value = gelu(value);
        add(linear(block + "mlp.fc2", hidden), x[token]);
      }
    }
    double sum = 0.0;
    for (int question = 0; question < kReaderQuestions; ++question) {
      const std::size_t asking = kReaderStart + sentence.words.size() + static_cast<std::size_t>(question);
      const Row query = linear("pointer.query", norm("norm", x[asking]));
      Row answer;
      for (std::size_t word = 0; word < sentence.words.size(); ++word) {
        const Row key = linear("pointer.key", norm("norm", x[kReaderStart + word]));
        answer.push_back(dot(query, key) / std::sqrt(static_cast<double>(kReaderDims.d_model)));
      }
      softmax(answer);
      sum -= std::log(answer[static_cast<std::size_t>(question == 0 ? sentence.who : sentence.whom)]);
    }
    return sum;
  }

  const models::ReaderModel& model_;
  std::vector<models::Sentence> sentences_;
  std::vector<double> parameters_;
  Rows words_;
  std::map<int, models::Places> places_;           ///< by number of tokens
  std::map<int, std::vector<HeadTables>> tables_;  ///< likewise, for each head
};

}  // namespace posenc::test
