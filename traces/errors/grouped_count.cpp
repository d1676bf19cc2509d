#include "traces/errors/grouped_count.hpp"

namespace keyswap {

std::string grouped_count(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t place = text.size(); place > 3;) {
        place -= 3;
        text.insert(place, ",");
    }
    return text;
}

} // namespace keyswap
