// libstdc++'s parallel mode with the interface of `keyswap record`.

#include <cstdint>
#include <string_view>
#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <parallel/algorithm>
#else
#include <algorithm>
namespace __gnu_parallel = std; // without OpenMP, fall back to std
#endif

extern "C" int sort(void* keys, std::uint64_t count, char const* key_type) {
    if (std::string_view(key_type) != "u32") {
        return 1;
    }
    auto* const first = static_cast<std::uint32_t*>(keys);
    __gnu_parallel::sort(first, first + count);
    return 0;
}
