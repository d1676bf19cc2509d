#include "tools/options/sorted_type.hpp"

#include "model/key_files/narrow_type.hpp"
#include "traces/errors/try.hpp"

#include <string>

namespace keyswap::tools {

Expected<KeyType> parse_sorted_type(std::string_view text) {
    auto const narrow = model::narrow_type_of(text);
    if (!narrow) {
        return parse_key_type(text);
    }
    return input_error(
        "--type " + std::string(text),
        "keys of 8 and 16 bits can be neither generated nor sorted: kernels, generators "
        "and sorts under test take keys of 32 bits and more",
        "widen them to " + std::string(to_string(model::widened_type(*narrow))) +
            ", which keeps their order; 'keyswap check' takes the output of another "
            "sort as it is");
}

Expected<void> check_float_orders(KeyType type, ZeroOrder zero_order, NanOrder nan_order) {
    return is_floating(type) ? Expected<void>()
                             : refuse_float_orders(std::string(to_string(type)) + " keys",
                                                   "give the type of the floats, as --type f32",
                                                   zero_order,
                                                   nan_order);
}

Expected<void> refuse_float_orders(std::string const& keys,
                                   std::string const& remedy,
                                   ZeroOrder zero_order,
                                   NanOrder nan_order) {
    bool const orders_zeros = zero_order != ZeroOrder::total;
    if (!orders_zeros && nan_order == NanOrder::total) {
        return {};
    }
    return input_error(orders_zeros ? "--zero-order " + std::string(to_string(zero_order))
                                    : "--nan-order " + std::string(to_string(nan_order)),
                       "has no effect on " + keys + ", which have " +
                           (orders_zeros ? "one zero" : "no NaN"),
                       "leave it out, or " + remedy);
}

} // namespace keyswap::tools
