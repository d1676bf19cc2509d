#include "model/check/hash_seed.hpp"

#include <random>

namespace keyswap::model {

HashSeed const& process_hash_seed() {
    static HashSeed const seed = [] {
        std::random_device random;
        std::uint64_t const high = random();
        return HashSeed(high << 32 | random());
    }();
    return seed;
}

} // namespace keyswap::model
