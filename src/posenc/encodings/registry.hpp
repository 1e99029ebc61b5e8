#pragma once

#include "posenc/info.hpp"

/// The encodings, each defined in the file of its id. The declaration here gives the constant external linkage.
namespace posenc {

extern const EncodingInfo kNone;
extern const EncodingInfo kSinusoidal;
extern const EncodingInfo kLearned;
extern const EncodingInfo kSincos2d;
extern const EncodingInfo kRope;
extern const EncodingInfo kXpos;
extern const EncodingInfo kMrope;
extern const EncodingInfo kRope2d;
extern const EncodingInfo kRopeMixed;
extern const EncodingInfo kAlibi;
extern const EncodingInfo kT5Bias;
extern const EncodingInfo kKerpleLog;
extern const EncodingInfo kKerplePower;
extern const EncodingInfo kSandwich;
extern const EncodingInfo kFire;
extern const EncodingInfo kDynamicPositionBias;
extern const EncodingInfo kSwinBias;
extern const EncodingInfo kSwinV2Bias;
extern const EncodingInfo kShaw;
extern const EncodingInfo kTransformerXl;
extern const EncodingInfo kXlnet;
extern const EncodingInfo kDeberta;
extern const EncodingInfo kCope;

}  // namespace posenc
