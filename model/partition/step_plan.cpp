#include "model/partition/step_plan.hpp"

#include "traces/errors/contracts.hpp"

namespace keyswap::model {

std::vector<BucketFunction> digit_steps(std::span<int const> widths) {
    std::vector<BucketFunction> functions;
    int shift = 0;
    for (int const width : widths) {
        functions.push_back(digit_function(shift, width));
        shift += width;
    }
    KEYSWAP_ENSURES(shift <= 128);
    return functions;
}

std::vector<int> even_digits(int key_bits, int digit_bits, int last_bits) {
    KEYSWAP_EXPECTS(digit_bits >= 1 && digit_bits <= 20);
    KEYSWAP_EXPECTS(last_bits >= 0 && last_bits <= 20 && last_bits <= key_bits);
    int const even_bits = key_bits - last_bits;
    std::vector<int> widths(static_cast<std::size_t>(even_bits / digit_bits), digit_bits);
    for (int const rest : {even_bits % digit_bits, last_bits}) {
        if (rest != 0) {
            widths.push_back(rest);
        }
    }
    return widths;
}

} // namespace keyswap::model
