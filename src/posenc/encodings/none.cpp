/// No positional encoding (NoPE): attention sees a set of words. With a causal mask order still leaks in.
///
/// @source Kazemnejad et al. 2023, arXiv:2305.19466 (NoPE); Haviv et al. 2022, arXiv:2203.16634

#include <array>

#include "encodings/define.hpp"
#include "encodings/registry.hpp"

namespace posenc {
namespace {

struct NoneParams {};

constexpr std::array<FieldInfo, 0> kFields{};

Encoding make_none(const NoneParams& /*params*/, const Dims& /*dims*/) { return {}; }

}  // namespace

constexpr EncodingInfo kNone = define<kFields, make_none>({
    .id = "none",
    .name = "No encoding",
    .family = Family::none,
    .seams = Seam::none,
    .authors = "Kazemnejad et al.",
    .year = 2023,
    .url = "https://arxiv.org/abs/2305.19466",
    .summary = "Attention without any position: a sentence is a set of words, unless a mask gives order away.",
});

}  // namespace posenc
