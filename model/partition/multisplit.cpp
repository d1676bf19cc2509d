#include "model/partition/multisplit.hpp"

namespace keyswap::model {

std::string find_position_error(std::span<std::uint64_t const> positions,
                                std::span<std::uint32_t const> labels,
                                std::span<std::uint64_t const> starts,
                                Stability stability) {
    KEYSWAP_EXPECTS(positions.size() == labels.size());
    std::vector<bool> taken(positions.size(), false);
    std::vector<std::uint64_t> next(starts.begin(), starts.end());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        std::uint64_t const position = positions[i];
        std::uint32_t const bucket = labels[i];
        std::uint64_t const end =
            bucket + std::size_t{1} < starts.size() ? starts[bucket + 1] : positions.size();
        auto const key = [&] {
            return "key " + std::to_string(i) + " of bucket " + std::to_string(bucket) +
                   " goes to " + std::to_string(position);
        };
        if (position < starts[bucket] || position >= end) {
            return key() + ", outside its bucket";
        }
        if (taken[position]) {
            return key() + ", where another key lies";
        }
        taken[position] = true;
        if (stability == Stability::stable && position != next[bucket]++) {
            return key() + ", not in input order";
        }
    }
    return "";
}

} // namespace keyswap::model
