#include "model/plan/violation.hpp"

#include "traces/errors/hex_text.hpp"

namespace keyswap::model {

std::string describe(Violation const& violation) {
    std::string text = violation.property + ": ";
    if (violation.gpu) {
        text += "GPU " + std::to_string(violation.gpu->value) + ", ";
    }
    if (violation.pass) {
        text += "pass " + std::to_string(*violation.pass) + ", ";
    }
    if (violation.bucket) {
        text += "bucket " + std::to_string(violation.bucket->pass) + ":0x" +
                hex_text(violation.bucket->prefix) + ", ";
    }
    return text + violation.detail;
}

} // namespace keyswap::model
