#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

#include "models/half.hpp"
#include "models/json.hpp"
#include "models/safetensors.hpp"

using namespace posenc;
using namespace posenc::models;
using namespace posenc::test;

namespace {

/// A file with this header, and `data` zero bytes.
std::vector<std::byte> file_of(const std::string& header, std::size_t data) {
  std::vector<std::byte> bytes(8);
  const std::uint64_t size = header.size();
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(size >> (8 * i));
  for (const char letter : header) bytes.push_back(static_cast<std::byte>(letter));
  bytes.resize(bytes.size() + data);
  return bytes;
}

std::string error_in(const std::string& header, std::size_t data) {
  const Error error = error_of([&] { static_cast<void>(read_tensors(file_of(header, data))); });
  return std::string(to_string(error.code())) + " " + error.field();
}

std::string header_of(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TensorFile example() {
  return {.metadata = {{"encoding", "t5_bias"}, {"params", R"({"theta":5e5,"form":"x"})"}},
          .tensors = {{"a.weight", {2, 3}, {1.0F, -2.5F, 0.1F, 0.0F, 1e-7F, 65504.0F}}, {"b", {1}, {3.0F}}}};
}

}  // namespace

TEST_CASE("half: every number goes there and back", "[safetensors]") {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    if (to_half(value) != bits) {
      INFO("bits " << bits);
      CHECK(to_half(value) == bits);
    }
  }
  CHECK(std::isnan(from_half(0x7e00)));
  CHECK(std::isnan(from_half(to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("half: the nearest one, ties to even", "[safetensors]") {
  CHECK(from_half(to_half(0.1F)) == 0.0999755859375F);
  CHECK(from_half(to_half(2049.0F)) == 2048.0F);
  CHECK(from_half(to_half(2051.0F)) == 2052.0F);
  CHECK(from_half(to_half(65519.0F)) == 65504.0F);
  CHECK(std::isinf(from_half(to_half(65520.0F))));
  CHECK(from_half(to_half(-0x1p-24F)) == -0x1p-24F);
  CHECK(from_half(to_half(0x1p-25F)) == 0.0F);
  CHECK(from_half(to_half(0x1.8p-25F)) == 0x1p-24F);
  CHECK(from_half(to_half(0x1.ffep-15F)) == 0x1p-14F);
}

TEST_CASE("json: what it may hold", "[safetensors]") {
  const Json json = parse_json(R"( {"a": [1, -2.5e3, 0.1, true, null], "b\u00e9\ud83d\ude00\n": "\"\\/"} )", "text");
  const Json::Array& array = *json.find("a")->as<Json::Array>();
  CHECK(*array[0].as<double>() == 1.0);
  CHECK(*array[1].as<double>() == -2500.0);
  CHECK(*array[2].as<double>() == 0.1);
  CHECK(*array[3].as<bool>());
  CHECK(array[4].as<std::nullptr_t>() != nullptr);
  CHECK(*json.find("b\xc3\xa9\xf0\x9f\x98\x80\n")->as<std::string>() == "\"\\/");
  CHECK(json.find("c") == nullptr);
  CHECK(array[0].find("a") == nullptr);
  CHECK(*parse_json(json_string("a\"\\\n\x01 \xe7\x8c\xab"), "text").as<std::string>() == "a\"\\\n\x01 \xe7\x8c\xab");
  for (const double number : {5e5, 0.3, 1e-7, 1e22, 123456.789, 0.0}) {
    CHECK(*parse_json(to_text(number), "text").as<double>() == number);
  }
}

TEST_CASE("json: what it may not", "[safetensors]") {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "tru", "\"\\x\"", "\"\\ud800\"", "\"\n\"", "1 2", "-", "1.",
                           "1e", "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"}) {
    INFO(text);
    const Error error = error_of([&] { static_cast<void>(parse_json(text, "here")); });
    CHECK(error.code() == ErrorCode::wrong_type);
    CHECK(error.field() == "here");
  }
}

TEST_CASE("safetensors: what is written is read", "[safetensors]") {
  const TensorFile file = example();
  const TensorFile read = read_tensors(write_tensors(file, FloatWidth::single));
  CHECK(read.metadata == file.metadata);
  REQUIRE(read.tensors.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read.tensors[i].name == file.tensors[i].name);
    CHECK(read.tensors[i].shape == file.tensors[i].shape);
    CHECK(read.tensors[i].numbers == file.tensors[i].numbers);
  }
  const std::vector<std::byte> half = write_tensors(file, FloatWidth::half);
  CHECK(read_tensors(half).tensors[0].numbers[2] == from_half(to_half(0.1F)));
  CHECK(write_tensors(read_tensors(half), FloatWidth::half) == half);
  CHECK(read.text("encoding") == "t5_bias");
  CHECK(error_of([&] { static_cast<void>(read.text("mask")); }).field() == "metadata.mask");
}

TEST_CASE("safetensors: numbers start at a multiple of eight", "[safetensors]") {
  const std::vector<std::byte> bytes = write_tensors(example(), FloatWidth::half);
  CHECK(std::to_integer<int>(bytes[0]) % 8 == 0);
  CHECK(bytes.size() % 2 == 0);
}

TEST_CASE("safetensors: broken files", "[safetensors]") {
  CHECK(error_of([] { static_cast<void>(read_tensors({})); }).field() == "file");
  CHECK(error_in("", 0) == "wrong_type file");
  CHECK(error_in("[1]", 0) == "wrong_type file");
  CHECK(error_in(R"({"__metadata__":1})", 0) == "wrong_type file");
  CHECK(error_in(R"({"__metadata__":{"a":1}})", 0) == "wrong_type file");
  CHECK(error_in(R"({"t":1})", 0) == "wrong_type t");
  CHECK(error_in(header_of("I32", "[1]", "[0,4]"), 4) == "wrong_type t");
  CHECK(error_in(header_of("F32", "1", "[0,4]"), 4) == "wrong_type t");
  CHECK(error_in(header_of("F32", "[-1]", "[0,4]"), 4) == "wrong_type t");
  CHECK(error_in(header_of("F32", "[0.5]", "[0,4]"), 4) == "wrong_type t");
  CHECK(error_in(header_of("F32", "[99]", "[0,4]"), 4) == "out_of_range t");
  CHECK(error_in(header_of("F32", "[1]", "[0,4]"), 3) == "out_of_range t");
  CHECK(error_in(header_of("F32", "[1]", "[4,0]"), 4) == "out_of_range t");
  CHECK(error_in(header_of("F32", "[1]", "[0]"), 4) == "out_of_range t");
  CHECK(error_in(header_of("F32", "[2]", "[0,4]"), 8) == "shape_mismatch t");
  CHECK(error_in(header_of("F32", "[1000000000,1000000000]", "[0,4]"), 8) == "out_of_range t");
  CHECK(error_in(header_of("F32", "[65536,65536]", "[0,0]"), 65536) == "out_of_range t");  // 2^32 elements
  CHECK(error_in(header_of("F32", "[1]", "[0,99999999999]"), 4) == "out_of_range t");

  std::vector<std::byte> bytes = write_tensors(example(), FloatWidth::single);
  bytes.resize(bytes.size() - 1);
  CHECK(error_of([&] { static_cast<void>(read_tensors(bytes)); }).field() == "b");
  bytes.resize(20);
  CHECK(error_of([&] { static_cast<void>(read_tensors(bytes)); }).code() == ErrorCode::out_of_range);
  bytes = write_tensors(example(), FloatWidth::single);
  bytes[bytes.size() - 1] = std::byte{0x7f};
  bytes[bytes.size() - 2] = std::byte{0x80};
  CHECK(error_of([&] { static_cast<void>(read_tensors(bytes)); }).code() == ErrorCode::not_finite);
}

TEST_CASE("safetensors: tensors that lie over each other", "[safetensors]") {
  std::string header = "{";
  for (int i = 0; i < 20; ++i) {
    header +=
        (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + R"(":{"dtype":"F32","shape":[100],"data_offsets":[0,400]})";
  }
  CHECK(error_in(header + "}", 400) == "out_of_range file");
}

TEST_CASE("safetensors: every byte of a header may be wrong", "[safetensors]") {
  const std::vector<std::byte> good = write_tensors(example(), FloatWidth::half);
  const std::size_t end = 8 + std::to_integer<std::size_t>(good[0]) + 256 * std::to_integer<std::size_t>(good[1]);
  for (std::size_t at = 0; at < end; ++at) {
    for (const int flip : {1, 0x20, 0x80}) {
      std::vector<std::byte> bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      try {
        static_cast<void>(read_tensors(bad));
      } catch (const Error&) {
        continue;  // anything else fails the test
      }
    }
  }
  SUCCEED();
}

TEST_CASE("safetensors: numbers that half precision does not have", "[safetensors]") {
  TensorFile file = example();
  file.tensors[1].numbers[0] = 1e6F;
  CHECK(error_of([&] { static_cast<void>(write_tensors(file, FloatWidth::half)); }).field() == "b");
  CHECK(read_tensors(write_tensors(file, FloatWidth::single)).tensors[1].numbers[0] == 1e6F);
}
