// A bucket sort with a buffer reuse bug: buckets by the highest byte are gathered in one array, and
// a bucket that fills its capacity exactly leaves its last key to the next one. Counts agree, and
// most outputs are right. KEYSWAP_BROKEN_SORT=crash or =overrun breaks it further.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int sort(std::uint32_t* keys, std::uint64_t count) {
    char const* const kind = std::getenv("KEYSWAP_BROKEN_SORT");
    std::string_view const broken = kind == nullptr ? "" : kind;
    if (broken == "crash") {
        std::abort();
    }
    if (broken == "overrun") {
        keys[count] = 0; // overruns the array by one key
    }
    std::array<std::vector<std::uint32_t>, 256> buckets;
    for (std::uint64_t i = 0; i < count; ++i) {
        buckets[keys[i] >> 24].push_back(keys[i]);
    }
    std::uint32_t* out = keys;
    for (std::vector<std::uint32_t>& bucket : buckets) {
        std::sort(bucket.begin(), bucket.end());
        bool const place_is_full = bucket.size() > 1 && bucket.size() % 512 == 0;
        if (place_is_full) {
            bucket.back() = bucket.front();
        }
        out = std::copy(bucket.begin(), bucket.end(), out);
    }
    return 0;
}
