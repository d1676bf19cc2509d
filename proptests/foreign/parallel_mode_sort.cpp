// libstdc++'s parallel mode behind the function that `keyswap record` calls.

#include <cstdint>
#include <string_view>
#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <parallel/algorithm>
#else
#include <algorithm>
namespace __gnu_parallel = std; // without OpenMP there is no parallel mode
#endif

extern "C" int sort(void* keys, std::uint64_t count, char const* key_type) {
    if (std::string_view(key_type) != "u32") {
        return 1;
    }
    auto* const first = static_cast<std::uint32_t*>(keys);
    __gnu_parallel::sort(first, first + count);
    return 0;
}
