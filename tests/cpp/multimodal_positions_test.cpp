#include "posenc/multimodal_positions.hpp"

#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "golden.hpp"
#include "support.hpp"

using namespace posenc;
using namespace posenc::test;

namespace {

std::vector<TokenKind> kinds_of(const json& c) {
  std::vector<TokenKind> kinds;
  const json& hidden = c["inputs"]["attention_mask"];
  for (const json& type : c["inputs"]["token_type (0 text, 1 image, 2 video)"]) {
    const bool padding = !hidden.is_null() && hidden[kinds.size()] == 0;
    kinds.push_back(padding ? TokenKind::padding : static_cast<TokenKind>(type.get<int>()));
  }
  return kinds;
}

std::vector<MediaGrid> grids_of(const json& grids) {
  std::vector<MediaGrid> result;
  for (const json& grid : grids) result.push_back({grid[0], grid[1], grid[2]});
  return result;
}

/// "t i v p" spelled out.
std::vector<TokenKind> kinds(const std::string& letters) {
  std::vector<TokenKind> result;
  for (const char letter : letters) result.push_back(static_cast<TokenKind>(std::string("tivp").find(letter)));
  return result;
}

Error refused(const std::string& letters, std::vector<MediaGrid> images, std::vector<MediaGrid> videos,
              const MultimodalSettings& settings = {}) {
  return error_of([&] { static_cast<void>(multimodal_positions(kinds(letters), images, videos, settings)); });
}

}  // namespace

TEST_CASE("golden: positions of pictures and films as Qwen2-VL has them", "[golden][mrope]") {
  int checked = 0;
  for (const json& c : golden_cases("mrope-qwen2vl")) {
    if (c["inputs"].contains("q")) continue;
    INFO(c["name"]);
    const MultimodalPositions places = multimodal_positions(kinds_of(c), grids_of(c["params"]["image_grid_thw"]),
                                                            grids_of(c["params"]["video_grid_thw"]),
                                                            {.merge_size = c["params"]["spatial_merge_size"]});
    const json& expected = c["expected"]["position_ids_thw"];
    for (int axis = 0; axis < 3; ++axis) {
      for (int token = 0; token < places.positions.rows(); ++token) {
        CHECK(places.positions(token, axis) ==
              expected[static_cast<std::size_t>(axis)][static_cast<std::size_t>(token)]);
      }
    }
    CHECK(places.delta == c["expected"]["rope_delta"][0]);
    ++checked;
  }
  CHECK(checked == 5);
}

TEST_CASE("multimodal positions: frames of a film take steps, rounded down", "[mrope]") {
  const std::vector<MediaGrid> film{{3, 2, 2}};
  const MultimodalPositions places = multimodal_positions(kinds("tvvvt"), {}, film, {.steps_per_frame = 2.5});
  const auto time = [&](int token) { return places.positions(token, 0); };
  CHECK((time(1) == 1.0 && time(2) == 3.0 && time(3) == 6.0));
  CHECK(places.positions(3, 1) == 1.0);
  CHECK(time(4) == 7.0);
  CHECK(places.next == 8.0);
  CHECK(places.delta == 3.0);
}

TEST_CASE("multimodal positions: pictures one after the other without a word between them", "[mrope]") {
  const std::vector<MediaGrid> pictures{{1, 2, 4}, {1, 2, 2}};
  const MultimodalPositions places = multimodal_positions(kinds("iiit"), pictures, {});
  CHECK(places.positions(1, 2) == 1.0);
  CHECK(places.positions(2, 2) == 2.0);
  CHECK(places.positions(3, 0) == 3.0);
  CHECK(multimodal_positions({}, {}, {}).positions.rows() == 0);
  CHECK(multimodal_positions(kinds("pptt"), {}, {}).positions(3, 1) == 1.0);
}

TEST_CASE("multimodal positions: what is refused", "[mrope]") {
  CHECK(refused("tii", {}, {}).field() == "image_grid_thw");
  CHECK(refused("tvv", {{1, 2, 4}}, {}).field() == "video_grid_thw");
  CHECK(refused("tt", {{1, 2, 4}}, {}).code() == ErrorCode::shape_mismatch);
  CHECK(refused("tit", {{1, 2, 4}}, {}).field() == "token_types");
  CHECK(refused("i", {{1, 2, 4}}, {}).field() == "token_types");
  CHECK(refused("iv", {{1, 2, 4}}, {{1, 2, 2}}).field() == "token_types");
  CHECK(refused("i", {{1, 3, 2}}, {}).code() == ErrorCode::out_of_range);
  CHECK(refused("i", {{0, 2, 2}}, {}).code() == ErrorCode::out_of_range);
  CHECK(refused("i", {{1, 2, -2}}, {}).code() == ErrorCode::out_of_range);
  CHECK(refused("v", {}, {{2147483647, 2147483646, 2147483646}}).field() == "token_types");
  CHECK(refused("i", {{1, 2, 2}}, {}, {.merge_size = 0}).field() == "merge_size");
  CHECK(refused("t", {}, {}, {.steps_per_frame = -1.0}).code() == ErrorCode::out_of_range);
  CHECK(refused("t", {}, {}, {.steps_per_frame = std::numeric_limits<double>::quiet_NaN()}).code() ==
        ErrorCode::not_finite);
}
