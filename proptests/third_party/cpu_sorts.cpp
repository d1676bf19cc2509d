// CPU sorts of libraries with the interface of `keyswap record`, one function each, for all key
// types of the library; `tools/scripts/survey` runs them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tbb/parallel_sort.h>
#include <tbb/version.h>
#include <utility>
#include <vector>

#if defined(_OPENMP)
#include <parallel/algorithm>
#endif
#if defined(KEYSWAP_WITH_BOOST_SORT)
#include <boost/sort/sort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>
#include <boost/version.hpp>
#endif
#if defined(KEYSWAP_WITH_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>
#endif

namespace {

/// Calls `sort` with the keys as a typed array. \return 1 for an unsupported type
template <class Sort>
int with_type(void* keys, std::uint64_t count, std::string_view type, Sort const& sort) {
    auto const as = [&]<class Key>(Key /*of the type*/) {
        auto* const first = static_cast<Key*>(keys);
        sort(first, first + count);
        return 0;
    };
    if (type == "u32") {
        return as(std::uint32_t{});
    }
    if (type == "u64") {
        return as(std::uint64_t{});
    }
    if (type == "i32") {
        return as(std::int32_t{});
    }
    if (type == "i64") {
        return as(std::int64_t{});
    }
    if (type == "f32") {
        return as(float{});
    }
    return type == "f64" ? as(double{}) : 1;
}

template <class Key, class StableSort>
void sort_pairs(Key* first, Key* last, std::uint32_t* values, StableSort const& sort) {
    std::vector<std::pair<Key, std::uint32_t>> pairs;
    pairs.reserve(static_cast<std::size_t>(last - first));
    for (Key const* key = first; key != last; ++key) {
        pairs.emplace_back(*key, values[key - first]);
    }
    sort(
        pairs.begin(), pairs.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (auto const& [key, value] : pairs) {
        *first++ = key;
        *values++ = value;
    }
}

/// Sorts keys stably, together with 4-byte values if there are any.
/// \return 1 for an unsupported type or value size
template <class StableSort>
int with_values(void* keys,
                std::uint64_t count,
                char const* type,
                void* values,
                std::uint64_t value_bytes,
                StableSort const& sort) {
    if (value_bytes != 0 && value_bytes != sizeof(std::uint32_t)) {
        return 1;
    }
    return with_type(keys, count, type, [&](auto* first, auto* last) {
        if (value_bytes == 0) {
            sort(first, last, std::less<>());
        } else {
            sort_pairs(first, last, static_cast<std::uint32_t*>(values), sort);
        }
    });
}

} // namespace

extern "C" {

/// Names of the sorts compiled into this library.
char const* versions() {
    static std::string const text = [] {
        std::string said = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE) + ", oneTBB " +
                           std::to_string(TBB_VERSION_MAJOR) + '.' +
                           std::to_string(TBB_VERSION_MINOR);
#if defined(KEYSWAP_WITH_BOOST_SORT)
        said += ", Boost " + std::to_string(BOOST_VERSION / 100'000) + '.' +
                std::to_string(BOOST_VERSION / 100 % 1000);
#endif
#if defined(KEYSWAP_WITH_VQSORT)
        said += ", Highway " + std::to_string(HWY_MAJOR) + '.' + std::to_string(HWY_MINOR) + '.' +
                std::to_string(HWY_PATCH);
#endif
        return said;
    }();
    return text.c_str();
}

int std_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto* first, auto* last) { std::sort(first, last); });
}

int std_stable_sort(
    void* keys, std::uint64_t count, char const* type, void* values, std::uint64_t value_bytes) {
    return with_values(
        keys, count, type, values, value_bytes, [](auto first, auto last, auto less) {
            std::stable_sort(first, last, less);
        });
}

#if defined(_OPENMP)
int gnu_parallel_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(
        keys, count, type, [](auto* first, auto* last) { __gnu_parallel::sort(first, last); });
}
#endif

int tbb_parallel_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(
        keys, count, type, [](auto* first, auto* last) { tbb::parallel_sort(first, last); });
}

#if defined(KEYSWAP_WITH_BOOST_SORT)
int boost_block_indirect_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto* first, auto* last) {
        boost::sort::block_indirect_sort(first, last);
    });
}

int boost_sample_sort(
    void* keys, std::uint64_t count, char const* type, void* values, std::uint64_t value_bytes) {
    return with_values(
        keys, count, type, values, value_bytes, [](auto first, auto last, auto less) {
            boost::sort::sample_sort(first, last, less);
        });
}

int boost_spreadsort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto* first, auto* last) {
        boost::sort::spreadsort::spreadsort(first, last);
    });
}
#endif

#if defined(KEYSWAP_WITH_VQSORT)
int vqsort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [count](auto* first, auto* /*last*/) {
        hwy::Sorter()(first, count, hwy::SortAscending());
    });
}
#endif

} // extern "C"
