#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/permute.cuh"
#include "kernels/sample_sort.cuh"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;
using gpu_test::pattern_names;

/// In addition to the patterns of make_keys: integers from 1 to 10, and few codes shifted left.
constexpr int record_pattern_count = pattern_count + 2;

std::string name_of_pattern(int pattern) {
    return pattern < pattern_count    ? pattern_names[pattern]
           : pattern == pattern_count ? "whole numbers 1 to 10"
                                      : "codes shifted left by 16";
}

std::vector<std::uint64_t> make_words(int pattern, std::uint64_t count) {
    if (pattern < pattern_count) {
        return make_keys<std::uint64_t>(pattern, count, count);
    }
    auto words = make_keys<std::uint64_t>(0, count, count);
    for (std::uint64_t& word : words) {
        word = pattern == pattern_count ? 1 + word % 10 : word % 5000 << 16;
    }
    return words;
}

/// 4 bytes, with a stateful comparator; unless strict, it is not a strict weak order.
struct Descending {
    bool is_strict = true;
    __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
        return is_strict ? a > b : a >= b;
    }
};

/// 8 bytes; records may compare equal but differ.
struct Keyed {
    std::uint32_t key;
    std::uint32_t id;
};
struct ModuloThousand {
    __host__ __device__ bool operator()(Keyed const& a, Keyed const& b) const {
        return a.key % 1000 < b.key % 1000;
    }
};

/// 16 bytes, compared by two columns.
struct Offer {
    double price;
    std::uint32_t article;
    std::uint32_t row;
};
struct DearestFirst {
    __host__ __device__ bool operator()(Offer const& a, Offer const& b) const {
        return a.price != b.price ? a.price > b.price : a.article < b.article;
    }
};

/// 24 bytes, with a non-trivial constructor.
struct Wide {
    std::uint64_t id = 1;
    std::int64_t key = 2;
    std::uint64_t check = 3;
};
struct ByKey {
    __host__ __device__ bool operator()(Wide const& a, Wide const& b) const {
        return a.key < b.key;
    }
};

/// 16 bytes in the order of memcmp, aligned to 1.
struct Uuid {
    std::uint8_t bytes[16];
};
struct ByBytes {
    __host__ __device__ bool operator()(Uuid const& a, Uuid const& b) const {
        for (int i = 0; i < 16; ++i) {
            if (a.bytes[i] != b.bytes[i]) {
                return a.bytes[i] < b.bytes[i];
            }
        }
        return false;
    }
};

using Word128 = unsigned __int128;
struct Ascending {
    __host__ __device__ bool operator()(Word128 a, Word128 b) const { return a < b; }
};

/// 32 bits of a word that preserve its pattern.
std::uint32_t half_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32 != 0 ? word >> 32 : word);
}

void fill(std::uint32_t& record, std::uint64_t word, std::uint64_t /*index*/) {
    record = half_of(word);
}
void fill(Keyed& record, std::uint64_t word, std::uint64_t index) {
    record = {half_of(word), static_cast<std::uint32_t>(index)};
}
void fill(Offer& record, std::uint64_t word, std::uint64_t index) {
    record = {static_cast<double>(static_cast<std::int64_t>(word) >> 8),
              static_cast<std::uint32_t>(word & 0xff),
              static_cast<std::uint32_t>(index)};
}
void fill(Wide& record, std::uint64_t word, std::uint64_t index) {
    record = {index, static_cast<std::int64_t>(word), ~index};
}
void fill(Uuid& record, std::uint64_t word, std::uint64_t /*index*/) {
    for (int i = 0; i < 16; ++i) {
        record.bytes[i] = static_cast<std::uint8_t>(word >> (i % 8 * 8));
    }
}
void fill(Word128& record, std::uint64_t word, std::uint64_t /*index*/) {
    record = static_cast<Word128>(word) << 64 | mix_bits(word);
}

template <class Record>
std::vector<Record> make_records(int pattern, std::uint64_t count) {
    auto const words = make_words(pattern, count);
    std::vector<Record> records(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        fill(records[i], words[i], i);
    }
    return records;
}

/// Digest of all bytes, independent of the records' order.
template <class Record>
MultisetDigest digest_of_records(std::vector<Record> const& records) {
    MultisetDigest digest;
    for (Record const& record : records) {
        std::uint64_t words[(sizeof(Record) + 7) / 8] = {};
        std::memcpy(words, &record, sizeof(Record));
        std::uint64_t mixed = 0;
        for (std::uint64_t const word : words) {
            mixed = mix_bits(mixed + word);
        }
        digest += digest_of(mixed);
    }
    return digest;
}

template <class Record, class Less>
void expect_sorted(RecordSorter<Record, Less>& sorter,
                   std::vector<Record> const& records,
                   Less less) {
    auto const device = on_device(records);
    auto const done = sorter(device.data(), records.size());
    ASSERT_TRUE(done.has_value()) << done.error().message;
    auto const sorted = on_host(device.data(), records.size());
    auto const out_of_order = std::is_sorted_until(sorted.begin(), sorted.end(), less);
    ASSERT_EQ(out_of_order - sorted.begin(), static_cast<std::ptrdiff_t>(sorted.size()));
    // nvcc does not find the digests' own comparison.
    MultisetDigest const found = digest_of_records(sorted);
    MultisetDigest const given = digest_of_records(records);
    ASSERT_EQ(found.low, given.low) << "other records than were given";
    ASSERT_EQ(found.high, given.high) << "other records than were given";
}

/// Sizes around those of leaves and tiles, and some that take one, two and three levels.
template <class Record>
std::vector<std::uint64_t> record_sizes() {
    std::vector<std::uint64_t> sizes{0, 1, 2, 3, 33, 100'003};
    for (auto const block : record_leaf_blocks(sizeof(Record))) {
        sizes.insert(sizes.end(), {block.size() - 1ULL, block.size(), block.size() + 1ULL});
    }
    std::uint64_t const tile = record_tile_size(sizeof(Record));
    sizes.insert(sizes.end(), {tile - 1, tile, tile + 1});
    return sizes;
}

template <class Record, class Less>
void expect_sorts_as_std_sort(Less less) {
    constexpr std::uint64_t million = (std::uint64_t{1} << 20) + 7;
    constexpr std::uint64_t most = 3'000'017;
    auto sorter = RecordSorter<Record, Less>::create(most, less);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    for (int pattern = 0; pattern < record_pattern_count; ++pattern) {
        SCOPED_TRACE(name_of_pattern(pattern));
        for (std::uint64_t const size : record_sizes<Record>()) {
            SCOPED_TRACE(size);
            ASSERT_NO_FATAL_FAILURE(
                expect_sorted(*sorter, make_records<Record>(pattern, size), less));
        }
        ASSERT_NO_FATAL_FAILURE(
            expect_sorted(*sorter, make_records<Record>(pattern, million), less));
    }
    expect_sorted(*sorter, make_records<Record>(0, most), less);
}

TEST(RecordSort, OfWordsInDescendingOrderEqualsStdSort) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<std::uint32_t>(Descending{});
}

TEST(RecordSort, KeepsRecordsThatAreEqualButDiffer) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<Keyed>(ModuloThousand{});
}

TEST(RecordSort, ByTwoColumnsEqualsStdSort) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<Offer>(DearestFirst{});
}

TEST(RecordSort, OfRecordsOf24BytesEqualsStdSort) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<Wide>(ByKey{});
}

TEST(RecordSort, OfBytesInOrderOfMemcmpEqualsStdSort) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<Uuid>(ByBytes{});
}

TEST(RecordSort, OfWordsOf128BitsEqualsStdSort) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_sorts_as_std_sort<Word128>(Ascending{});
}

TEST(RecordSort, SortsAFewThousandRecords) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint64_t count = 5'003;
    auto sorter = RecordSorter<Wide, ByKey>::create(count);
    ASSERT_TRUE(sorter.has_value());
    for (int const pattern : {0, 3}) { // includes equality buckets
        expect_sorted(*sorter, make_records<Wide>(pattern, count), ByKey{});
    }
}

TEST(RecordSort, EndsWithAnErrorWhereEqualRecordsAreLessThanEachOther) {
    KEYSWAP_NEEDS_GPUS(1);
    std::vector<std::uint32_t> const records(100'000, 42);
    auto const device = on_device(records);
    auto sorter = RecordSorter<std::uint32_t, Descending>::create(records.size(), {false});
    ASSERT_TRUE(sorter.has_value());
    auto const done = (*sorter)(device.data(), records.size());
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, SortErrorCode::invalid_option);
    EXPECT_EQ(done.error().input, InputState::lost);
    EXPECT_NE(done.error().message.find("strict weak order"), std::string::npos);
}

TEST(RecordSort, RefusesMoreRecordsThanItHasRoomForAndOddAddresses) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint64_t room = 1000;
    auto sorter = RecordSorter<Offer, DearestFirst>::create(room);
    ASSERT_TRUE(sorter.has_value());
    DeviceBuffer<Offer> const records{0, room + 1};
    auto const refuse = [&](Offer* begin, std::uint64_t count) {
        auto const done = (*sorter)(begin, count);
        ASSERT_FALSE(done.has_value());
        EXPECT_EQ(done.error().code, SortErrorCode::invalid_option);
        EXPECT_EQ(done.error().input, InputState::intact);
    };
    refuse(records.data(), room + 1);
    refuse(reinterpret_cast<Offer*>(&records.data()->article), room);
    EXPECT_TRUE((*sorter)(records.data() + 1, 0).has_value());
}

TEST(RecordSort, TakesNoMemoryAndSortsPartsInTheCallersStream) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint64_t count = 300'000;
    auto records = make_records<Offer>(0, count);
    auto const device = on_device(records);
    auto sorter = RecordSorter<Offer, DearestFirst>::create(count);
    ASSERT_TRUE(sorter.has_value());
    Stream const stream{0};
    std::int64_t const held = device_bytes_held;
    std::uint64_t const part = 100'001;
    for (std::uint64_t begin = 0; begin < count; begin += part) {
        auto const done =
            (*sorter)(device.data() + begin, std::min(part, count - begin), stream.get());
        ASSERT_TRUE(done.has_value()) << done.error().message;
    }
    EXPECT_EQ(device_bytes_held, held);
    auto const sorted = on_host(device.data(), count);
    for (std::uint64_t begin = 0; begin < count; begin += part) {
        auto const end = static_cast<std::ptrdiff_t>(std::min(begin + part, count));
        auto const first = static_cast<std::ptrdiff_t>(begin);
        EXPECT_TRUE(std::is_sorted(sorted.begin() + first, sorted.begin() + end, DearestFirst{}));
    }
}

TEST(RecordSort, TellsOfEveryCallThatFails) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const records = make_records<Offer>(0, 50'000);
    std::uint64_t call = 0;
    for (bool failed = true; failed; ++call) {
        fault_injection::fail_call(call);
        auto const sorter = RecordSorter<Offer, DearestFirst>::create(records.size());
        failed = fault_injection::stop();
        ASSERT_EQ(sorter.has_value(), !failed) << "call " << call;
    }
    EXPECT_GT(call, 20U); // creation allocates buffers
    auto sorter = RecordSorter<Offer, DearestFirst>::create(records.size());
    ASSERT_TRUE(sorter.has_value());
    call = 0;
    for (bool failed = true; failed; ++call) {
        auto const device = on_device(records);
        fault_injection::fail_call(call);
        auto const done = (*sorter)(device.data(), records.size());
        failed = fault_injection::stop();
        ASSERT_EQ(done.has_value(), !failed) << "call " << call;
    }
    EXPECT_GT(call, 10U);
    expect_sorted(*sorter, records, DearestFirst{});
}

TEST(Permute, TakesEveryRowOfWideColumnsByItsNumber) {
    KEYSWAP_NEEDS_GPUS(1);
    using Text = std::array<char, 40>;
    constexpr std::uint64_t count = 100'003;
    std::vector<Text> texts(count);
    std::vector<std::uint32_t> rows(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        texts[i].fill(0);
        std::snprintf(texts[i].data(), texts[i].size(), "row %llu", i * 1ULL);
        rows[i] = static_cast<std::uint32_t>(i * 7919 % count);
    }
    auto const in = on_device(texts);
    auto const numbers = on_device(rows);
    DeviceBuffer<Text> const out{0, count};
    ASSERT_TRUE(permute(numbers.data(), in.data(), out.data(), count).has_value());
    auto const permuted = on_host(out.data(), count);
    for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(permuted[i], texts[rows[i]]) << i;
    }
    EXPECT_TRUE(permute(numbers.data(), in.data(), out.data(), 0).has_value());
    auto* const odd = reinterpret_cast<Text*>(reinterpret_cast<char*>(out.data()) + 4);
    auto const refused = permute(numbers.data(), in.data(), odd, 1);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, SortErrorCode::invalid_option);
}

} // namespace
} // namespace keyswap::kernels
