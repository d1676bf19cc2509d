#pragma once

#include "tools/text/json.hpp"

#include <iosfwd>
#include <sstream>

namespace keyswap::tools {

/// RAII: captures the JSON document and the remarks of a command on this thread instead of printing
/// them; for programs that call commands in their own process. At most one per thread.
class CapturedOutput {
  public:
    CapturedOutput();
    ~CapturedOutput();
    CapturedOutput(CapturedOutput const&) = delete;
    CapturedOutput& operator=(CapturedOutput const&) = delete;

    /// The capture on this thread; null if there is none.
    [[nodiscard]] static CapturedOutput* active();

    Json document; ///< null until one has been printed
    std::ostringstream remarks;
};

/// Stream for remarks: standard error, unless captured.
[[nodiscard]] std::ostream& remark_stream();

} // namespace keyswap::tools
