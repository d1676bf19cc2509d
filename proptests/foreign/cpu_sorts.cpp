// Sorts of libraries for CPUs behind the function that `keyswap record` calls, one function each,
// for keys of all its types: `tools/scripts/survey` runs them.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tbb/parallel_sort.h>

#if defined(_OPENMP)
#include <parallel/algorithm>
#endif
#if __has_include(<boost/sort/sort.hpp>)
#define KEYSWAP_WITH_BOOST_SORT
#include <boost/sort/sort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>
#endif
#if defined(KEYSWAP_WITH_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

/// Calls `sort` with the keys as an array of their type. \return 1 where the type is not known
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

} // namespace

extern "C" {

int std_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto* first, auto* last) { std::sort(first, last); });
}

int std_stable_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(
        keys, count, type, [](auto* first, auto* last) { std::stable_sort(first, last); });
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

int boost_sample_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(
        keys, count, type, [](auto* first, auto* last) { boost::sort::sample_sort(first, last); });
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
