#pragma once

#include <string>
#include <tl/expected.hpp>

namespace keyswap {

/// A user's mistake or a malformed file, as three parts of a one-line message. Tools print it and
/// exit with status 2.
struct InputError {
    std::string subject; ///< the option, file or "file:line" at fault; may be empty
    std::string problem; ///< what is wrong
    std::string remedy;  ///< what to try

    /// "subject: problem (remedy)" with control characters escaped; empty parts are omitted.
    [[nodiscard]] std::string message() const;
};

template <class T>
using Expected = tl::expected<T, InputError>;

} // namespace keyswap
