#pragma once

/// Umbrella of the public headers.

#include "posenc/angles.hpp"
#include "posenc/attention.hpp"
#include "posenc/compare.hpp"
#include "posenc/describe.hpp"
#include "posenc/encoding.hpp"
#include "posenc/error.hpp"
#include "posenc/info.hpp"
#include "posenc/language_model.hpp"
#include "posenc/matrix_view.hpp"
#include "posenc/multimodal_positions.hpp"
#include "posenc/reader.hpp"
#include "posenc/relative.hpp"
#include "posenc/rope.hpp"
#include "posenc/seeded.hpp"
#include "posenc/spec.hpp"
#include "posenc/version.hpp"
