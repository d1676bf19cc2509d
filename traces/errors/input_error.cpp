#include "traces/input_error.hpp"

namespace keyswap {

std::string InputError::message() const {
    std::string text = subject.empty() ? problem : subject + ": " + problem;
    if (!remedy.empty()) {
        text += " (" + remedy + ")";
    }
    return text;
}

} // namespace keyswap
