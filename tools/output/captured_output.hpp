#pragma once

#include "tools/text/json.hpp"

#include <iosfwd>
#include <sstream>

namespace keyswap::tools {

/// While one lives, a command that runs on its thread prints nothing: its JSON document and its
/// remarks are kept here, for a program that calls the command in its own process.
class CapturedOutput {
  public:
    CapturedOutput();
    ~CapturedOutput();
    CapturedOutput(CapturedOutput const&) = delete;
    CapturedOutput& operator=(CapturedOutput const&) = delete;

    /// Null if none lives on this thread.
    [[nodiscard]] static CapturedOutput* active();

    Json document; ///< null until one is printed
    std::ostringstream remarks;
};

/// Where commands write what is no result: standard error, unless it is captured.
[[nodiscard]] std::ostream& remark_stream();

} // namespace keyswap::tools
