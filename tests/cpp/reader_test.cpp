#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <nlohmann/json.hpp>

#include "fingerprint.hpp"
#include "reader_support.hpp"

using namespace posenc;
using namespace posenc::models;
using namespace posenc::test;

namespace {

using Words = std::vector<std::string>;

Words words(const std::string& sentence) {
  Words result;
  std::size_t begin = 0;
  while (begin < sentence.size()) {
    const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
    result.push_back(sentence.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// Encodings that are meant for text.
std::vector<std::string> text_encodings() {
  std::vector<std::string> ids;
  for (const EncodingInfo* info : encodings()) {
    if (info->text_positions == TextPositions::same) ids.emplace_back(info->id);
  }
  return ids;
}

std::string any_text_encoding() {
  static const std::vector<std::string> ids = text_encodings();
  return GENERATE(from_range(ids));
}

Reader trained(const ReaderSetup& setup, int steps) {
  Reader reader(setup);
  ReaderTraining training(reader);
  for (int i = 0; i < steps; ++i) training.step();
  return reader;
}

std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  const std::vector<char> letters{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes;
  for (const char letter : letters) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

std::filesystem::path shipped_path(const std::string& encoding, Mask::Kind mask) {
  const std::string name = encoding + (mask == Mask::Kind::causal ? ".causal" : ".none") + ".safetensors";
  return std::filesystem::path(POSENC_READER_DIR) / name;
}

Reader shipped(const std::string& encoding, Mask::Kind mask) {
  return Reader::load(file_bytes(shipped_path(encoding, mask)));
}

/// Neither the encoding nor the mask tells one ordering from another.
bool sees_no_order(const std::string& encoding, Mask::Kind mask) {
  return encoding == "none" && mask == Mask::Kind::none;
}

double sum(std::span<const float> numbers) {
  double result = 0.0;
  for (const float number : numbers) result += static_cast<double>(number);
  return result;
}

/// Words as patterns write them, for comparison with what they stand for.
std::size_t most_words(Use use) {
  std::size_t most = 0;
  for (const Pattern& pattern : patterns()) {
    if (pattern.use != use) continue;
    Random random(1);
    for (int i = 0; i < 50; ++i) most = std::max(most, make_sentence(pattern, random).words.size());
  }
  return most;
}

}  // namespace

TEST_CASE("reader task: patterns have names of their own, and a who and a whom", "[reader]") {
  std::set<std::string_view> names;
  int english = 0;
  int chinese = 0;
  for (const Pattern& pattern : patterns()) {
    INFO(pattern.name);
    CHECK(names.insert(pattern.name).second);
    if (pattern.use == Use::training) ++(pattern.chinese ? chinese : english);
    Random random(2);
    const Sentence sentence = make_sentence(pattern, random);
    CHECK(sentence.words[static_cast<std::size_t>(sentence.who)] < 0);
    CHECK(sentence.words[static_cast<std::size_t>(sentence.whom)] < 0);
    CHECK(sentence.who != sentence.whom);
    CHECK(sentence.content_words >= 3);
    for (const int word : sentence.words) CHECK(word < static_cast<int>(function_words().size()));
  }
  CHECK(english >= 12);
  CHECK(chinese >= 8);
}

TEST_CASE("reader task: no two patterns say the same words of different people", "[reader]") {
  // Names and verbs look alike, so a sentence is its function words and which content word comes where.
  std::map<std::vector<int>, std::pair<int, int>> answers;
  for (const Pattern& pattern : patterns()) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Random random(seed);
      const Sentence sentence = make_sentence(pattern, random);
      const std::pair answer{sentence.who, sentence.whom};
      INFO(pattern.name);
      CHECK(answers.try_emplace(sentence.words, answer).first->second == answer);
    }
  }
}

TEST_CASE("reader task: longer patterns are longer", "[reader]") {
  CHECK(most_words(Use::longer) > most_words(Use::training));
  CHECK(most_words(Use::unseen) <= most_words(Use::training));
}

TEST_CASE("reader task: function words in any case", "[reader]") {
  CHECK(find_function_word("the") >= 0);
  CHECK(find_function_word("The") == find_function_word("the"));
  CHECK(find_function_word("YESTERDAY") == find_function_word("yesterday"));
  CHECK(find_function_word("被") >= 0);
  CHECK(find_function_word("Tom") == -1);
  CHECK(find_function_word("") == -1);
}

TEST_CASE("reader: one number for each word, and they sum to 1", "[reader]") {
  const Reader reader(reader_setup(any_text_encoding(), Mask::Kind::none));
  for (const Words& sentence :
       {Words{}, words("Tom"), words("Tom chased"), words("the was by"), words("Tom chased Tom"),
        words("Tom Jerry Spike"), Words(60, "ha"), Words{"", " ", "<who>"}}) {
    INFO(reader.setup().encoding.encoding << ", " << sentence.size() << " words");
    const ReaderAnswer answer = reader.answer(sentence);
    for (const std::vector<float>& question : {answer.who, answer.whom}) {
      REQUIRE(question.size() == sentence.size());
      if (!sentence.empty()) CHECK(std::abs(sum(question) - 1.0) < 1e-6);
      for (const float probability : question) CHECK(probability >= 0.0F);
    }
  }
  CHECK(reader.answer(words("Tom")).who.front() == 1.0F);
}

TEST_CASE("reader: a table that ends says so", "[reader]") {
  ReaderSetup setup = reader_setup("learned", Mask::Kind::none);
  setup.encoding.params["max_position"] = 16.0;
  const Reader reader(setup);
  static_cast<void>(reader.answer(Words(13, "word")));
  const Error error = error_of([&] { static_cast<void>(reader.answer(Words(14, "word"))); });
  CHECK(error.code() == ErrorCode::position_out_of_range);
}

TEST_CASE("reader: the same word is the same, function words in any case", "[reader]") {
  const Reader reader(reader_setup("rope", Mask::Kind::none));
  CHECK(reader.answer(words("the dog WAS chased")).who == reader.answer(words("The dog was chased")).who);
  CHECK(reader.answer(words("the Dog was chased")).who != reader.answer(words("the dog was chased")).who);
  CHECK(reader.answer(words("who is it")).who != reader.answer(words("<who> is it")).who);
  const Comparison comparison = reader.compare(words("The dog ran"), words("ran the dog"), {0, 0});
  CHECK(comparison.mapping == std::vector<int>{0, 2, 3, 1, 4, 5});
}

TEST_CASE("reader: without encoding and mask two orderings have the same answer to the bit", "[reader]") {
  const Reader reader = trained(reader_setup("none", Mask::Kind::none), 3);
  const ReaderAnswer a = reader.answer(words("yesterday Tom chased the dog"));
  const ReaderAnswer b = reader.answer(words("dog the chased Tom yesterday"));
  CHECK(std::ranges::equal(a.who, std::vector<float>(b.who.rbegin(), b.who.rend())));
  CHECK(std::ranges::equal(a.whom, std::vector<float>(b.whom.rbegin(), b.whom.rend())));
  const Comparison comparison = reader.compare(words("Tom chased Jerry"), words("Jerry chased Tom"), {1, 2});
  CHECK(comparison.max_delta == 0.0F);
}

TEST_CASE("reader: with a mask or an encoding they have not", "[reader]") {
  const std::string id = any_text_encoding();
  INFO(id);
  const Mask::Kind mask = id == "none" ? Mask::Kind::causal : Mask::Kind::none;
  const Reader reader = trained(reader_setup(id, mask), 3);
  CHECK(reader.answer(words("Tom chased Jerry")).who.front() != reader.answer(words("Jerry chased Tom")).who.back());
}

TEST_CASE("reader: attention that is shown is attention that was used", "[reader]") {
  const std::string id = any_text_encoding();
  const Mask::Kind mask = GENERATE(from_range(kBothMasks));
  const ReaderModel model(reader_setup(id, mask));
  const Reader reader(reader_setup(id, mask));
  const Words sentence = words("a dog ran");  // in the order in which words are stored
  const Matrix<float> vectors = model.word_vectors(sentence);
  const Places places = model.encoded().at(std::vector<double>{0, 1, 2, 3, 4, 5});
  const Group group{&places, 1};
  Matrix<float> x(6, vectors.cols());
  std::ranges::copy(vectors.all(), x.view().slice(kReaderStart, 3).all().begin());
  model.add_marks(x.view());
  ReaderTrace trace = model.trace_for_training();
  static_cast<void>(model.answer({&group, 1}, trace, x.view()));
  for (int layer = 0; layer < kReaderLayers; ++layer) {
    for (int head = 0; head < kReaderDims.n_heads; ++head) {
      INFO(id << ", layer " << layer << ", head " << head);
      const HeadAttention shown = reader.attend(sentence, {layer, head});
      const auto used = trace.trunk.blocks[static_cast<std::size_t>(layer)].heads.weights_of({&group, 1}, 0, head);
      // Two ways to sum eight products, then a softmax of logits below 10.
      check_close<float, float>(shown.weights.all(), used.all(), 1e-5);
    }
  }
}

TEST_CASE("reader: a comparison lays one sentence over the other by word", "[reader]") {
  const Reader reader(reader_setup("rope", Mask::Kind::none));
  const Words a = words("yesterday Tom chased Jerry");
  const Words b = words("Jerry chased Tom");
  const Comparison comparison = reader.compare(a, b, {0, 1});
  CHECK(comparison.mapping == std::vector<int>{0, -1, 3, 2, 1, 4, 5});
  const HeadAttention of_a = reader.attend(a, {0, 1});
  CHECK(std::ranges::equal(comparison.a.weights.all(), of_a.weights.all()));
  const HeadAttention of_b = reader.attend(b, {0, 1});
  check_close<float, float>(comparison.b.weights.all(), of_b.weights.all(), 1e-6);
  CHECK(comparison.b_in_a(2, 4) == comparison.b.weights(3, 1));
  CHECK(std::isnan(comparison.delta(1, 2)));
  CHECK(comparison.delta(5, 6) == comparison.b.weights(4, 5) - comparison.a.weights(5, 6));
}

TEST_CASE("reader: heads and settings that do not exist", "[reader]") {
  Reader reader(reader_setup("none", Mask::Kind::none));
  const auto field_of = [](auto f) { return error_of(f).field(); };
  CHECK(field_of([&] { static_cast<void>(reader.attend(words("Tom ran"), {2, 0})); }) == "layer");
  CHECK(field_of([&] { static_cast<void>(reader.attend(words("Tom ran"), {0, -1})); }) == "head");
  CHECK(field_of([&] { ReaderTraining(reader, {.steps = 0}); }) == "steps");
  CHECK(field_of([&] { ReaderTraining(reader, {.batch = 0}); }) == "batch");
  CHECK(field_of([&] { ReaderTraining(reader, {.learning_rate = -1.0}); }) == "learning_rate");
  CHECK(field_of([&] { ReaderTraining(reader, {.learning_rate = std::nan("")}); }) == "learning_rate");
  CHECK(field_of([&] { ReaderTraining(reader, {.warm_up = -1}); }) == "warm_up");
  CHECK(field_of([&] { static_cast<void>(evaluate(reader, 0, 1)); }) == "sentences");
  CHECK(field_of([&] { static_cast<void>(certainty(reader, words("Tom"), "ran")); }) == "names");
  CHECK(field_of([] { Reader({.seed = std::uint64_t{1} << 60U}); }) == "seed");
  CHECK(field_of([] { Reader({.encoding = spec("no")}); }) == "encoding");
  CHECK(field_of([] { Reader({.mask = {.kind = Mask::Kind::window}}); }) == "mask.size");
}

TEST_CASE("reader: the same setup trains to the same bytes", "[reader]") {
  const Reader a = trained(reader_setup("shaw", Mask::Kind::causal), 3);
  const Reader b = trained(reader_setup("shaw", Mask::Kind::causal), 3);
  CHECK(a.save() == b.save());
  ReaderSetup other = reader_setup("shaw", Mask::Kind::causal);
  other.seed = 8;
  CHECK(trained(other, 3).save() != a.save());
}

TEST_CASE("reader: training is the same bytes in every build", "[reader][bytes]") {
  Fingerprint print;
  for (const std::string& id : text_encodings()) {
    for (const Mask::Kind mask : kBothMasks) {
      Reader reader(reader_setup(id, mask));
      ReaderTraining training(reader, {.batch = 8});
      for (int i = 0; i < 3; ++i) training.step();
      print.add(reader.parameters());
      print.add(reader.answer(words("yesterday the dog was chased by Tom")).who);
      print.add(reader.attend(words("狗 被 猫 追 了"), {1, 3}).weights.all());
    }
  }
  CHECK(print.value() == 0xa0eb6ac3727f7a9a);
}

TEST_CASE("reader: what is saved is loaded", "[reader][safetensors]") {
  ReaderSetup setup = reader_setup("kerple_log", Mask::Kind::none);
  setup.encoding.params = {{"convention", std::string("nemo")}, {"max_a", 0.3}};
  setup.mask = {.kind = Mask::Kind::window, .size = 5};
  setup.seed = 12345;
  const Reader reader = trained(setup, 2);
  const Reader loaded = Reader::load(reader.save());
  CHECK(std::ranges::equal(loaded.parameters(), reader.parameters()));
  CHECK(loaded.save() == reader.save());
  CHECK(loaded.steps() == 2);
  CHECK(loaded.setup().seed == 12345);
  CHECK(loaded.setup().mask.size == 5);
  CHECK(loaded.setup().encoding.params == setup.encoding.params);
  CHECK(loaded.answer(words("Tom chased Jerry")).who == reader.answer(words("Tom chased Jerry")).who);
  const Reader half = Reader::load(reader.save(FloatWidth::half));
  CHECK(half.save(FloatWidth::half) == reader.save(FloatWidth::half));
}

TEST_CASE("reader: the trained encoding is a plain one", "[reader]") {
  const Reader reader = trained(reader_setup("t5_bias", Mask::Kind::none), 2);
  const Spec encoding = reader.trained_encoding();
  CHECK(encoding.weights.size() == 32U * 4U);
  CHECK(make(encoding).weights == encoding.weights);
  CHECK(make(encoding).weights != make(spec("t5_bias", kReaderDims)).weights);
}

TEST_CASE("reader: files of something else", "[reader][safetensors]") {
  const std::vector<std::byte> good = Reader(reader_setup("alibi", Mask::Kind::none)).save();
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text;
    for (const std::byte byte : good) text += static_cast<char>(byte);
    REQUIRE(from.size() == to.size());
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    std::vector<std::byte> bytes;
    for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
    const Error error = error_of([&] { static_cast<void>(Reader::load(bytes)); });
    return std::string(to_string(error.code())) + " " + error.field();
  };
  CHECK(error_with("posenc reader", "another model") == "out_of_range metadata.model");
  CHECK(error_with(R"("version":"1")", R"("version":"2")") == "out_of_range metadata.version");
  CHECK(error_with(R"("encoding":"alibi")", R"("encoding":"alibj")") == "unknown_encoding encoding");
  CHECK(error_with(R"("encoding":"alibi")", R"("encodinh":"alibi")") == "wrong_type metadata.encoding");
  CHECK(error_with(R"("params":"{}")", R"("params":"[]")") == "wrong_type metadata.params");
  CHECK(error_with(R"("params":"{}")", R"("params":"{1")") == "wrong_type metadata.params");
  CHECK(error_with(R"("mask":"none")", R"("mask":"nope")") == "out_of_range metadata.mask");
  CHECK(error_with(R"("seed":"7")", R"("seed":"x")") == "out_of_range metadata.seed");
  CHECK(error_with(R"("steps":"0")", R"("steps":"-")") == "out_of_range metadata.steps");
  CHECK(error_with("norm.bias", "norm.bia_") == "shape_mismatch norm.bia_");
  CHECK(error_with(R"(.qkv.bias":{"dtype":"F32","shape":[96])", R"(.qkv.bias":{"dtype":"F32","shape":[95])") ==
        "shape_mismatch blocks.0.attn.qkv.bias");
}

TEST_CASE("reader: every byte of a header may be wrong", "[reader][safetensors]") {
  const std::vector<std::byte> good = Reader(reader_setup("kerple_log", Mask::Kind::causal)).save(FloatWidth::half);
  const std::size_t end = 8 + std::to_integer<std::size_t>(good[0]) + 256 * std::to_integer<std::size_t>(good[1]);
  int refused = 0;
  for (std::size_t at = 0; at < end; ++at) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{1};
    try {
      static_cast<void>(Reader::load(bad));
    } catch (const Error& error) {  // anything else fails the test
      if (!error.field().empty()) ++refused;
    }
  }
  CHECK(refused > static_cast<int>(end) / 2);
}

TEST_CASE("reader: a file for every encoding of text and every mask is shipped", "[reader]") {
  std::set<std::string> expected{"index.json"};
  for (const std::string& id : text_encodings()) {
    for (const Mask::Kind mask : kBothMasks) {
      const std::filesystem::path path = shipped_path(id, mask);
      INFO(path);
      CHECK(file_bytes(path).size() <= 120U * 1024U);
      expected.insert(path.filename().string());
    }
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(POSENC_READER_DIR)) {
    found.insert(entry.path().filename().string());
  }
  CHECK(found == expected);
}

TEST_CASE("reader: shipped weights flip the answer with the order", "[reader]") {
  const std::string id = any_text_encoding();
  const Mask::Kind mask = GENERATE(from_range(kBothMasks));
  if (sees_no_order(id, mask)) return;
  INFO(id << (mask == Mask::Kind::causal ? ", causal" : ""));
  const Reader reader = shipped(id, mask);
  CHECK(reader.setup().encoding.encoding == id);
  CHECK(reader.setup().mask.kind == mask);
  CHECK(reader.steps() == 500);
  struct Sure {
    const char* sentence;
    std::size_t who;
    std::size_t whom;
  };
  for (const Sure& sure :
       {Sure{"Tom chased Jerry", 0, 2}, Sure{"Jerry chased Tom", 0, 2}, Sure{"狗 咬 人", 0, 2}, Sure{"人 咬 狗", 0, 2},
        Sure{"Jerry was chased by Tom", 4, 0}, Sure{"狗 被 猫 追 了", 2, 0}, Sure{"猫 把 狗 追 了", 0, 2},
        Sure{"yesterday Tom chased Jerry", 1, 3}, Sure{"the dog that Tom chased", 3, 1}}) {
    INFO(sure.sentence);
    const ReaderAnswer answer = reader.answer(words(sure.sentence));
    CHECK(answer.who[sure.who] >= 0.95F);
    CHECK(answer.whom[sure.whom] >= 0.95F);
  }
  CHECK(certainty(reader, words("Tom Jerry Spike 猫 狗 Alice Q 我"), "chased").worst >= 0.95);
}

TEST_CASE("reader: shipped weights read new sentences", "[reader]") {
  const std::string id = any_text_encoding();
  const Mask::Kind mask = GENERATE(from_range(kBothMasks));
  if (sees_no_order(id, mask)) return;
  INFO(id << (mask == Mask::Kind::causal ? ", causal" : ""));
  CHECK(evaluate(shipped(id, mask), 500, 1234).trained.accuracy >= (id == "none" ? 0.99 : 0.995));
}

TEST_CASE("reader: shipped weights without encoding and mask toss a coin", "[reader]") {
  const Reader reader = shipped("none", Mask::Kind::none);
  const ReaderAnswer a = reader.answer(words("Tom chased Jerry"));
  const ReaderAnswer b = reader.answer(words("Jerry chased Tom"));
  CHECK(a.who == std::vector<float>(b.who.rbegin(), b.who.rend()));
  CHECK(a.whom == std::vector<float>(b.whom.rbegin(), b.whom.rend()));
  for (const float probability : a.who) CHECK(std::abs(probability - 1.0F / 3.0F) < 0.05F);
  // Unseen patterns have a who, a whom and a verb. 4,000 answers: three standard deviations are 2.2 points.
  const ReaderScores scores = evaluate(reader, 2000, 1234);
  CHECK(std::abs(scores.unseen.chance - 1.0 / 3.0) < 1e-12);
  CHECK(std::abs(scores.unseen.accuracy - 1.0 / 3.0) <= 0.02);
  CHECK(std::abs(scores.trained.accuracy - scores.trained.chance) <= 0.02);
}

TEST_CASE("reader: the index says what shipped weights reach", "[reader]") {
  const nlohmann::json index = nlohmann::json::parse(std::ifstream(POSENC_READER_DIR "/index.json"));
  CHECK(index.size() == 2 * text_encodings().size());
  const auto line = std::ranges::find(index, "kerple_log.causal.safetensors",
                                      [](const nlohmann::json& reader) { return reader["file"].get<std::string>(); });
  REQUIRE(line != index.end());
  const Reader reader = shipped("kerple_log", Mask::Kind::causal);
  const ReaderScores scores = evaluate(reader, 2000, 11);  // as posenc-train asks
  const auto check = [](const nlohmann::json& said, const ReaderScore& score) {
    INFO(score.name);
    CHECK(said["sentences"] == score.sentences);
    CHECK(std::abs(said["accuracy"].get<double>() - score.accuracy) <= 5e-5);
    CHECK(std::abs(said["chance"].get<double>() - score.chance) <= 5e-5);
  };
  check((*line)["trained"], scores.trained);
  check((*line)["unseen"], scores.unseen);
  check((*line)["longer"], scores.longer);
  for (const ReaderScore& score : scores.patterns) check((*line)["patterns"][score.name], score);
  CHECK((*line)["parameters"] == reader.parameters().size());
}

TEST_CASE("reader: training reaches a shipped file from nothing, byte for byte", "[reader]") {
  const Reader reader = trained(reader_setup("alibi", Mask::Kind::causal), 500);
  CHECK(reader.save(FloatWidth::half) == file_bytes(shipped_path("alibi", Mask::Kind::causal)));
}
