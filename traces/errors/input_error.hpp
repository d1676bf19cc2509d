#pragma once

#include <string>
#include <tl/expected.hpp>

namespace keyswap {

/// A user's mistake or a broken file, in one line: what it is about, what is wrong with it,
/// and what to do. Tools print it and exit with 2.
struct InputError {
    std::string subject; ///< the option, file or "file:line" it is about
    std::string problem; ///< what is wrong
    std::string remedy;  ///< what to try

    /// "subject: problem (remedy)"; the parenthesis is left out if there is no remedy.
    [[nodiscard]] std::string message() const;
};

template <class T>
using Expected = tl::expected<T, InputError>;

} // namespace keyswap
