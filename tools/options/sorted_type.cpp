#include "tools/options/sorted_type.hpp"

#include "model/key_files/narrow_type.hpp"

#include <string>

namespace keyswap::tools {

Expected<KeyType> parse_sorted_type(std::string_view text) {
    auto const narrow = model::narrow_type_of(text);
    if (!narrow) {
        return parse_key_type(text);
    }
    return tl::unexpected(
        InputError{"--type " + std::string(text),
                   "keys of 8 and 16 bits can be neither generated nor sorted: kernels, generators "
                   "and sorts under test take keys of 32 bits and more",
                   "widen them to " + std::string(to_string(model::widened_type(*narrow))) +
                       ", which keeps their order; 'keyswap check' takes the output of another "
                       "sort as it is"});
}

} // namespace keyswap::tools
