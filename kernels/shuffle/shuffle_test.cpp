#include "kernels/shuffle.hpp"

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using Owners = std::vector<std::uint32_t>;

/// Host memory of a call; values are input indices.
template <class Key>
struct ShuffleMemory {
    std::vector<Key> keys;
    std::vector<Key> output;
    std::vector<std::uint32_t> values;
    std::vector<std::uint32_t> output_values;
    std::vector<std::uint16_t> labels;
    std::vector<std::uint64_t> starts;
    MultisplitArrays arrays;

    ShuffleMemory(std::vector<Key> given, std::vector<std::uint16_t> column, std::size_t buckets)
        : keys(std::move(given)), output(keys.size()), values(keys.size()),
          output_values(keys.size()), labels(std::move(column)), starts(buckets, 77) {
        std::iota(values.begin(), values.end(), 0U);
        arrays.keys_in = keys.data();
        arrays.keys_out = output.data();
        arrays.values_in = values.data();
        arrays.values_out = output_values.data();
        arrays.labels = labels.data();
        arrays.label_bytes = sizeof(std::uint16_t);
        arrays.starts = starts.data();
    }
};

/// Input indices in output order: by owner, bucket, then input.
std::vector<std::uint32_t> shuffled_indices(std::vector<std::uint16_t> const& labels,
                                            Owners const& owners) {
    std::vector<std::uint32_t> indices(labels.size());
    std::iota(indices.begin(), indices.end(), 0U);
    std::ranges::stable_sort(
        indices, {}, [&](std::uint32_t i) { return std::pair(owners[labels[i]], labels[i]); });
    return indices;
}

std::vector<std::uint16_t> some_labels(std::size_t count, std::uint32_t buckets) {
    std::vector<std::uint16_t> labels(count);
    for (std::size_t i = 0; i < count; ++i) {
        labels[i] = static_cast<std::uint16_t>(mix_bits(i) % buckets);
    }
    return labels;
}

ShuffleOptions by_labels(std::uint32_t buckets, std::vector<int> devices) {
    ShuffleOptions options;
    options.value_type = ValueType::bits32;
    options.function = {buckets, LabelBuckets{}};
    options.devices = std::move(devices);
    return options;
}

TEST(Shuffle, IsTheStablePartitionByOwnerAndBucket) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::vector<int> const& devices : {std::vector{0}, {0, 0}, {0, 0, 0, 0, 0}}) {
        auto const gpu_count = static_cast<std::uint32_t>(devices.size());
        for (std::uint32_t const buckets : {1U, 2U, 3U, 32U, 256U, 300U}) {
            for (bool const given : {false, true}) {
                ShuffleOptions options = by_labels(buckets, devices);
                Owners owners(buckets);
                for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
                    owners[bucket] =
                        given ? (bucket * 7 + 3) % gpu_count : bucket * gpu_count / buckets;
                }
                options.owners = given ? owners : Owners();
                auto shuffler = Shuffler::create(options, 100'003);
                ASSERT_TRUE(shuffler) << shuffler.error().message;
                for (std::size_t const count : {0U, 1U, 4U, 1'000U, 100'003U}) {
                    ShuffleMemory<std::uint32_t> memory(make_keys<std::uint32_t>(0, count, 5),
                                                        some_labels(count, buckets),
                                                        buckets);
                    auto const report = shuffler->shuffle_host(memory.arrays, count);
                    ASSERT_TRUE(report) << report.error().message;
                    auto const indices = shuffled_indices(memory.labels, owners);
                    ASSERT_EQ(memory.output_values, indices)
                        << buckets << " buckets of " << count << " keys on " << gpu_count;
                    for (std::size_t i = 0; i < count; ++i) {
                        ASSERT_EQ(memory.output[i], memory.keys[indices[i]]);
                    }
                    EXPECT_EQ(memory.starts, report->starts);
                }
            }
        }
    }
}

TEST(Shuffle, TakesEveryMethodAndTellsWhatItDid) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::size_t count = 50'021;
    for (MultisplitMethodInfo const& method : multisplit_methods()) {
        std::uint32_t const buckets = std::min(method.buckets_max, 31U);
        ShuffleOptions options;
        options.key_type = KeyType::u64;
        options.function = {buckets, HashBuckets{9}};
        options.method = method.method;
        options.devices = {0, 0, 0};
        auto shuffler = Shuffler::create(options, count);
        ASSERT_TRUE(shuffler) << shuffler.error().message;
        EXPECT_EQ(shuffler->method(), method.method);
        ShuffleMemory<std::uint64_t> memory(make_keys<std::uint64_t>(0, count, 6), {}, buckets);
        auto const records = shuffler->record_host(memory.arrays, count);
        ASSERT_TRUE(records) << records.error().message;
        ShuffleReport const& report = records->report;
        ASSERT_EQ(records->splits.size(), 3U);
        ASSERT_EQ(report.ownership.size(), 3U);
        ASSERT_EQ(records->arrivals.size(), report.placements.size());
        std::uint64_t owned = 0;
        for (OwnershipRecord const& owner : report.ownership) {
            EXPECT_EQ(owner.base, owned);
            owned += owner.count;
        }
        EXPECT_EQ(owned, count);
        MultisetDigest arrived;
        for (std::size_t place = 0; place < report.placements.size(); ++place) {
            PlacementRecord const& placed = report.placements[place];
            MultisetDigest of_output;
            for (std::uint64_t i = placed.begin; i < placed.end; ++i) {
                of_output += digest_of(memory.output[i]);
            }
            EXPECT_EQ(records->arrivals[place], of_output) << method.name;
            arrived += of_output;
        }
        MultisetDigest given;
        for (std::uint64_t const key : memory.keys) {
            given += digest_of(key);
        }
        EXPECT_EQ(arrived, given) << method.name;
        EXPECT_EQ(report.times.size(), 6U) << "scatter and key swap of three GPUs";
    }
}

/// Chunks in GPU memory, of any sizes.
TEST(Shuffle, MovesChunksThatLieOnTheGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint64_t sizes[] = {1'000, 0, 20'011};
    ShuffleOptions options;
    options.function = {8, DigitBuckets{29, 3}};
    options.devices = {0, 0, 0};
    auto shuffler = Shuffler::create(options, 20'011);
    ASSERT_TRUE(shuffler) << shuffler.error().message;
    std::vector<std::uint32_t> all;
    std::vector<DeviceBuffer<std::uint32_t>> inputs;
    std::vector<DeviceBuffer<std::uint32_t>> outputs;
    std::vector<ShuffleChunk> chunks;
    for (std::uint64_t const size : sizes) {
        auto const keys = make_keys<std::uint32_t>(0, size, 7 + size);
        inputs.emplace_back(0, size);
        outputs.emplace_back(0, 21'011);
        if (size != 0) {
            KEYSWAP_CUDA(cudaMemcpy(
                inputs.back().data(), keys.data(), size * sizeof(keys[0]), cudaMemcpyDefault));
        }
        all.insert(all.end(), keys.begin(), keys.end());
        ShuffleChunk chunk;
        chunk.keys_in = inputs.back().data();
        chunk.count = size;
        chunk.keys_out = outputs.back().data();
        chunk.capacity = 21'011;
        chunks.push_back(chunk);
    }
    auto const report = shuffler->shuffle(chunks, PhaseTiming::on);
    ASSERT_TRUE(report) << report.error().message;
    std::vector<std::uint32_t> output;
    for (std::size_t gpu = 0; gpu < chunks.size(); ++gpu) {
        std::vector<std::uint32_t> part(report->ownership[gpu].count);
        KEYSWAP_CUDA(cudaMemcpy(
            part.data(), outputs[gpu].data(), part.size() * sizeof(part[0]), cudaMemcpyDefault));
        output.insert(output.end(), part.begin(), part.end());
    }
    std::ranges::stable_sort(all, {}, [](std::uint32_t key) { return key >> 29; });
    EXPECT_EQ(output, all);

    for (ShuffleChunk& chunk : chunks) {
        chunk.capacity = 10;
    }
    auto const full = shuffler->shuffle(chunks);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().message,
              "GPU 0 would take " + std::to_string(report->ownership[0].count) +
                  " keys and has room for 10 (no key was moved; give it more room, or other GPUs "
                  "its buckets)");
    EXPECT_EQ(full.error().input, InputState::intact);
}

TEST(Shuffle, RefusesWhatItCannotDo) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const refusal = [](ShuffleOptions const& options) {
        auto const shuffler = Shuffler::create(options, 100);
        return shuffler ? std::string("accepted") : shuffler.error().message;
    };
    ShuffleOptions options = by_labels(4, {});
    EXPECT_EQ(refusal(options), "0 GPUs are named (name 1 to 64)");
    options.devices = {0, 0};
    options.owners = {0, 1, 2, 0};
    EXPECT_EQ(refusal(options), "bucket 2 is given to GPU 2 of 2 (number them from 0)");
    options.owners.clear();
    options.devices = {0, 999};
    EXPECT_NE(refusal(options).find("there is no device 999"), std::string::npos);
    options.devices = {0, 0};
    auto shuffler = Shuffler::create(options, 100);
    ASSERT_TRUE(shuffler) << shuffler.error().message;
    ShuffleMemory<std::uint32_t> memory(std::vector<std::uint32_t>(300), some_labels(300, 4), 4);
    auto const many = shuffler->shuffle_host(memory.arrays, 300);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().message,
              "the chunk of GPU 0 has 150 keys, more than the 100 that memory was allocated for");
    EXPECT_EQ(shuffler->shuffle({}).error().message,
              "0 chunks are given for 2 GPUs (give one for each, of 0 keys at least)");
}

TEST(Shuffle, AFailingCallIsAnErrorAndTheNextOneWorks) {
    KEYSWAP_NEEDS_GPUS(1);
    auto shuffler = Shuffler::create(by_labels(16, {0, 0}), 5'000);
    ASSERT_TRUE(shuffler) << shuffler.error().message;
    for (std::uint64_t call = 0;; ++call) {
        ASSERT_LT(call, 10'000U) << "no call is the last";
        ShuffleMemory<std::uint32_t> memory(
            make_keys<std::uint32_t>(0, 5'000, 3), some_labels(5'000, 16), 16);
        fault_injection::fail_call(call);
        auto const report = shuffler->shuffle_host(memory.arrays, 5'000);
        if (!fault_injection::stop()) {
            ASSERT_TRUE(report) << report.error().message;
            break;
        }
        ASSERT_FALSE(report) << "call " << call;
        EXPECT_EQ(report.error().code, SortErrorCode::device_failure);
    }
}

} // namespace
} // namespace keyswap::kernels
