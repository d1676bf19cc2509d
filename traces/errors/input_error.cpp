#include "traces/errors/input_error.hpp"

#include "traces/errors/printable_text.hpp"

namespace keyswap {

std::string InputError::message() const {
    std::string text = subject.empty() ? problem : subject + ": " + problem;
    if (!remedy.empty()) {
        text += " (" + remedy + ")";
    }
    return printable_text(text);
}

} // namespace keyswap
