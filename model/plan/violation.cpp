#include "model/plan/violation.hpp"

#include <sstream>

namespace keyswap::model {

std::string describe(Violation const& violation) {
    std::ostringstream text;
    text << violation.property << ": ";
    if (violation.gpu) {
        text << "GPU " << violation.gpu->value << ", ";
    }
    if (violation.pass) {
        text << "pass " << *violation.pass << ", ";
    }
    if (violation.bucket) {
        text << "bucket " << violation.bucket->pass << ":0x" << std::hex << violation.bucket->prefix
             << std::dec << ", ";
    }
    text << violation.detail;
    return text.str();
}

} // namespace keyswap::model
