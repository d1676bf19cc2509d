// TBB's parallel_sort with the interface of `keyswap record`.

#include <cstdint>
#include <string_view>
#include <tbb/parallel_sort.h>

extern "C" int sort(void* keys, std::uint64_t count, char const* key_type) {
    if (std::string_view(key_type) != "u32") {
        return 1;
    }
    auto* const first = static_cast<std::uint32_t*>(keys);
    tbb::parallel_sort(first, first + count);
    return 0;
}
