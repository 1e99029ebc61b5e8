#pragma once

#include "posenc/reader.hpp"

#include "models/reader_model.hpp"

namespace posenc {

struct Reader::Parts {
  explicit Parts(const ReaderSetup& from) : setup(from), model(from) {}

  ReaderSetup setup;
  models::ReaderModel model;
  int steps = 0;
};

}  // namespace posenc
