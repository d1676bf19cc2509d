// std::sort with the interface of `keyswap record`.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace {

template <class Key>
int sort_as(void* keys, std::uint64_t count) {
    auto* const first = static_cast<Key*>(keys);
    std::sort(first, first + count);
    return 0;
}

} // namespace

extern "C" int sort(void* keys, std::uint64_t count, char const* key_type) {
    std::string_view const type = key_type;
    if (type == "u32") {
        return sort_as<std::uint32_t>(keys, count);
    }
    if (type == "u64") {
        return sort_as<std::uint64_t>(keys, count);
    }
    if (type == "i32") {
        return sort_as<std::int32_t>(keys, count);
    }
    return type == "i64" ? sort_as<std::int64_t>(keys, count) : 1;
}
