#include "model/partition/step_plan.hpp"

#include "traces/errors/contracts.hpp"

#include <charconv>
#include <numeric>
#include <string>

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

Expected<std::vector<int>> parse_digit_widths(std::string_view text, int key_bits) {
    auto const refused = [&](std::string problem) {
        return tl::unexpected(
            InputError{"digits " + std::string(text),
                       std::move(problem),
                       "give widths such as 8,8,8,8 that sum up to " + std::to_string(key_bits)});
    };
    std::vector<int> widths;
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        int width = 0;
        auto const [stop, error] = std::from_chars(text.data() + begin, text.data() + end, width);
        if (error != std::errc() || stop != text.data() + end || width < 1 || width > 20) {
            return refused("'" + std::string(text.substr(begin, end - begin)) +
                           "' is not a width of 1 to 20 bits");
        }
        widths.push_back(width);
        begin = end + 1;
    }
    int const sum = std::accumulate(widths.begin(), widths.end(), 0);
    if (sum != key_bits) {
        return refused("sum up to " + std::to_string(sum) + " bits, keys have " +
                       std::to_string(key_bits));
    }
    return widths;
}

} // namespace keyswap::model
