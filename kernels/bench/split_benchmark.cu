#include "kernels/bench/split_benchmark.hpp"

#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/bench/timed_kernels.cuh"
#include "kernels/bench/timings.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>

namespace keyswap::kernels {

namespace {

/// A rule by plain arithmetic: min((key - origin) / width, buckets - 1), 0 below the origin.
struct PlainRule {
    std::uint64_t origin;
    std::uint64_t width;
    std::uint32_t buckets;

    [[nodiscard]] __device__ std::uint32_t operator()(std::uint64_t key) const {
        std::uint64_t const range = key < origin ? 0 : (key - origin) / width;
        return range < buckets - 1 ? static_cast<std::uint32_t>(range) : buckets - 1;
    }
};

template <class Key>
__global__ void plain_labels_kernel(Key const* keys,
                                    std::uint64_t count,
                                    PlainRule rule,
                                    std::uint32_t* labels,
                                    std::uint32_t* indices) {
    for_each_index(count, [&](std::uint64_t i) {
        labels[i] = rule(keys[i]);
        indices[i] = static_cast<std::uint32_t>(i);
    });
}

/// Index of the first key with a label among sorted labels.
__device__ std::uint64_t
first_with(std::uint32_t const* labels, std::uint64_t count, std::uint64_t label) {
    std::uint64_t low = 0;
    std::uint64_t high = count;
    while (low < high) {
        std::uint64_t const middle = low + (high - low) / 2;
        if (labels[middle] < label) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// A result to compare with the reference.
template <class Key>
struct Compared {
    Key const* keys_in;          ///< [count]
    std::uint32_t const* order;  ///< [count] input index of each element of the stable partition
    std::uint32_t const* labels; ///< [count] of the stable partition
    Key const* keys;             ///< [count] of the result
    std::uint32_t const* values; ///< [count] input indices; null without values
    std::uint64_t const* starts; ///< [buckets]
    bool stable;
};

template <class Key>
__global__ void compare_kernel(Compared<Key> compared,
                               std::uint64_t count,
                               PlainRule rule,
                               unsigned long long* wrong) {
    for_each_index(count, [&](std::uint64_t i) {
        Key const key = compared.keys[i];
        bool const right = compared.stable ? key == compared.keys_in[compared.order[i]]
                                           : rule(key) == compared.labels[i];
        bool const right_value =
            compared.values == nullptr || compared.values[i] == compared.order[i];
        if (!right || !right_value) {
            atomicAdd(wrong, 1ULL);
        }
    });
    for_each_index(rule.buckets, [&](std::uint64_t bucket) {
        if (compared.starts[bucket] != first_with(compared.labels, count, bucket)) {
            atomicAdd(wrong, 1ULL);
        }
    });
}

/// An order-independent sum that detects lost or duplicated keys.
template <class Key>
__global__ void mixed_sum_kernel(Key const* keys, std::uint64_t count, unsigned long long* sum) {
    unsigned long long own = 0;
    for_each_index(count, [&](std::uint64_t i) { own += mix_bits(keys[i] + 1ULL); });
    atomicAdd(sum, own);
}

__global__ void index_kernel(std::uint32_t* values, std::uint64_t count) {
    for_each_index(count, [&](std::uint64_t i) { values[i] = static_cast<std::uint32_t>(i); });
}

template <class Key>
struct UpperBitClear {
    __device__ bool operator()(Key key) const { return key >> (sizeof(Key) * 8 - 1) == 0; }
};

/// A measured function and its reference.
struct MeasuredRule {
    std::string name;
    BucketFunction function;
    PlainRule plain;
};

std::vector<MeasuredRule> rules_of(std::uint32_t buckets, int key_bits) {
    // floor(2^bits / m), without 2^64.
    std::uint64_t const last = ~std::uint64_t{0} >> (64 - key_bits);
    bool const is_power = std::has_single_bit(buckets);
    std::uint64_t const width = buckets == 1 ? last : last / buckets + (is_power ? 1 : 0);
    std::vector<MeasuredRule> rules;
    if (is_power) {
        int const bits = std::bit_width(buckets) - 1;
        rules.push_back(
            {"digit", {buckets, DigitBuckets{key_bits - bits, bits}}, {0, width, buckets}});
    }
    std::uint64_t const odd_width = std::max<std::uint64_t>(width - 3, 1);
    rules.push_back({"delta",
                     {buckets, DeltaBuckets{{0, 12345}, {0, odd_width}}},
                     {12345, odd_width, buckets}});
    SplitterBuckets splitters;
    splitters.tie = Tie::right;
    for (std::uint32_t i = 1; i < buckets; ++i) {
        splitters.splitters.push_back({0, width * i});
    }
    rules.push_back({"splitters", {buckets, splitters}, {0, width, buckets}});
    return rules;
}

template <class Key>
class SplitBench {
  public:
    explicit SplitBench(SplitBenchJob const& job)
        : job_(job), count_(job.key_count), with_values_(job.value_type != ValueType::none),
          keys_(job.devices.front(), count_), out_(job.devices.front(), count_),
          order_(job.devices.front(), count_), labels_(job.devices.front(), count_),
          values_(job.devices.front(), with_values_ ? count_ : 0),
          values_out_(job.devices.front(), with_values_ ? count_ : 0),
          starts_(job.devices.front(), job.buckets) {
        launch_bench_keys(
            nullptr, sizeof(Key), keys_.data(), 0, count_, count_, BenchKeys::uniform, 1);
        if (with_values_) {
            index_kernel<<<bench_blocks, bench_threads>>>(values_.data(), count_);
            KEYSWAP_CUDA(cudaGetLastError());
        }
        sum_ = sum_of(keys_.data());
    }

    SortExpected<std::vector<SplitBenchRow>> run() {
        std::vector<SplitBenchRow> rows;
        add_radix(rows);
        if (job_.buckets == 2 && !with_values_) {
            add_partition(rows);
        }
        for (MeasuredRule const& rule : rules_of(job_.buckets, sizeof(Key) * 8)) {
            make_reference(rule.plain);
            for (MultisplitMethod const method : job_.methods) {
                KEYSWAP_TRY(auto row, measure(rule, method));
                if (!row.milliseconds.empty()) {
                    row.peer_ms = rows.front().median();
                    rows.push_back(std::move(row));
                    if (method == MultisplitMethod::bit_split && rule.name == "digit") {
                        add_stages(rows, rule);
                    }
                }
            }
        }
        return rows;
    }

  private:
    /// Allocates CUB's temporary memory and times the call.
    template <class Call>
    std::vector<double> timed_cub(Call const& call) const {
        std::size_t bytes = 0;
        KEYSWAP_CUDA(call(nullptr, bytes));
        DeviceBuffer<unsigned char> const temp{job_.devices.front(), bytes};
        return timed_ms(
            job_.devices.front(), job_.runs, [&] { KEYSWAP_CUDA(call(temp.data(), bytes)); });
    }

    void add_radix(std::vector<SplitBenchRow>& rows) const {
        constexpr int key_bits = sizeof(Key) * 8;
        int const begin =
            key_bits - std::max(1, static_cast<int>(std::bit_width(job_.buckets - 1)));
        SplitBenchRow row;
        row.name = "cub-radix";
        row.rule = "digit";
        row.milliseconds = timed_cub([&](void* temp, std::size_t& bytes) {
            return with_values_
                       ? cub::DeviceRadixSort::SortPairs(temp,
                                                         bytes,
                                                         keys_.data(),
                                                         out_.data(),
                                                         values_.data(),
                                                         values_out_.data(),
                                                         count_,
                                                         begin,
                                                         key_bits)
                       : cub::DeviceRadixSort::SortKeys(
                             temp, bytes, keys_.data(), out_.data(), count_, begin, key_bits);
        });
        row.wrong = sum_of(out_.data()) != sum_ ? 1 : 0;
        rows.push_back(std::move(row));
    }

    /// CUB returns keys whose highest bit is set in reverse order.
    void add_partition(std::vector<SplitBenchRow>& rows) const {
        DeviceBuffer<std::uint64_t> const selected{job_.devices.front(), 1};
        SplitBenchRow row;
        row.name = "cub-partition";
        row.rule = "digit";
        row.milliseconds = timed_cub([&](void* temp, std::size_t& bytes) {
            return cub::DevicePartition::If(temp,
                                            bytes,
                                            keys_.data(),
                                            out_.data(),
                                            selected.data(),
                                            count_,
                                            UpperBitClear<Key>{});
        });
        row.wrong = sum_of(out_.data()) != sum_ ? 1 : 0;
        rows.push_back(std::move(row));
    }

    [[nodiscard]] std::uint64_t sum_of(Key const* keys) const {
        return counted(job_.devices.front(), [&](unsigned long long* sum) {
            mixed_sum_kernel<<<bench_blocks, bench_threads>>>(keys, count_, sum);
        });
    }

    /// Computes the unique stable partition by CUB's sort of plain labels.
    void make_reference(PlainRule const& rule) const {
        DeviceBuffer<std::uint32_t> const labels{job_.devices.front(), count_};
        DeviceBuffer<std::uint32_t> const indices{job_.devices.front(), count_};
        plain_labels_kernel<<<bench_blocks, bench_threads>>>(
            keys_.data(), count_, rule, labels.data(), indices.data());
        KEYSWAP_CUDA(cudaGetLastError());
        std::size_t bytes = 0;
        auto const sort = [&](void* temp) {
            KEYSWAP_CUDA(cub::DeviceRadixSort::SortPairs(
                temp, bytes, labels.data(), labels_.data(), indices.data(), order_.data(), count_));
        };
        sort(nullptr);
        DeviceBuffer<unsigned char> const temp{job_.devices.front(), bytes};
        sort(temp.data());
        KEYSWAP_CUDA(cudaDeviceSynchronize());
    }

    /// Returns a row without times if the method does not support the job.
    SortExpected<SplitBenchRow> measure(MeasuredRule const& rule, MultisplitMethod method) const {
        MultisplitOptions options;
        options.key_type = job_.key_type;
        options.value_type = job_.value_type;
        options.function = rule.function;
        options.device = job_.devices.front();
        options.method = method;
        SplitBenchRow row;
        auto const taking = supported_methods(options);
        if (std::ranges::find(taking, method) == taking.end()) {
            return row;
        }
        KEYSWAP_TRY(auto splitter, Multisplitter::create(options, count_));
        MultisplitArrays arrays;
        arrays.keys_in = keys_.data();
        arrays.keys_out = out_.data();
        arrays.values_in = values_.data();
        arrays.values_out = values_out_.data();
        arrays.starts = starts_.data();
        KEYSWAP_CUDA(cudaMemset(out_.data(), 0xee, count_ * sizeof(Key)));
        SortExpected<void> done;
        row.name = info_of(method).name;
        row.rule = rule.name;
        row.milliseconds = timed_ms(job_.devices.front(), job_.runs, [&] {
            if (done) {
                done = splitter.split(arrays, count_);
            }
        });
        KEYSWAP_RETURN_IF_ERROR(done);
        row.wrong = count_wrong(rule, info_of(method).stability);
        return row;
    }

    /// Elements and starts of the last call that differ from the reference.
    [[nodiscard]] std::uint64_t count_wrong(MeasuredRule const& rule, Stability stability) const {
        std::uint64_t const different =
            counted(job_.devices.front(), [&](unsigned long long* wrong) {
                compare_kernel<<<bench_blocks, bench_threads>>>(
                    Compared<Key>{keys_.data(),
                                  order_.data(),
                                  labels_.data(),
                                  out_.data(),
                                  with_values_ ? values_out_.data() : nullptr,
                                  starts_.data(),
                                  stability == Stability::stable},
                    count_,
                    rule.plain,
                    wrong);
            });
        return different + (sum_of(out_.data()) != sum_ ? 1 : 0);
    }

    /// Adds the stages of `bit-split`: the scan of its table, and its one-bit splits, measured as
    /// the extra time of a step that runs them twice. \pre the method was measured with this rule
    void add_stages(std::vector<SplitBenchRow>& rows, MeasuredRule const& rule) const {
        RuleTables const tables(
            rule.function, sizeof(Key), image_code(job_.key_type, Direction::ascending));
        OutOfPlaceArrays const arrays{
            keys_.data(),
            out_.data(),
            values_.data(),
            values_out_.data(),
            count_,
            {sizeof(Key), static_cast<int>(value_size_bytes(job_.value_type))}};
        DeviceBuffer<unsigned char> const scratch{job_.devices.front(),
                                                  bit_split_scratch_bytes(count_, job_.buckets)};
        auto* const table = reinterpret_cast<std::uint32_t*>(scratch.data());
        std::uint64_t const tiles = (count_ + bit_split_tile_keys() - 1) / bit_split_tile_keys();
        auto const count = [&] { launch_tile_counts(nullptr, arrays, tables.rule(), table); };
        auto const scan = [&] {
            launch_table_scan(nullptr, tiles * job_.buckets, scratch.data(), scratch.size());
        };
        auto const move = [&](int times) {
            return [&, times] { launch_bit_split(nullptr, arrays, tables.rule(), table, times); };
        };
        auto const add = [&](std::string const& name, std::vector<double> milliseconds) {
            SplitBenchRow row;
            row.name = name;
            row.rule = rule.name;
            row.milliseconds = std::move(milliseconds);
            row.wrong = count_wrong(rule, Stability::stable);
            rows.push_back(std::move(row));
        };
        add("bit-split:count", timed_ms(job_.devices.front(), job_.runs, count));
        add("bit-split:scan", timed_ms(job_.devices.front(), job_.runs, scan));
        count(); // the table has been scanned repeatedly
        scan();
        add("bit-split:move", timed_ms(job_.devices.front(), job_.runs, move(1)));
        double const once = rows.back().median();
        std::vector<double> splits = timed_ms(job_.devices.front(), job_.runs, move(2));
        for (double& ms : splits) {
            ms -= once;
        }
        add("bit-split:split", std::move(splits));
    }

    SplitBenchJob const& job_;
    std::uint64_t count_;
    bool with_values_;
    DeviceBuffer<Key> keys_;
    DeviceBuffer<Key> out_;
    DeviceBuffer<std::uint32_t> order_;
    DeviceBuffer<std::uint32_t> labels_;
    DeviceBuffer<std::uint32_t> values_;
    DeviceBuffer<std::uint32_t> values_out_;
    DeviceBuffer<std::uint64_t> starts_;
    std::uint64_t sum_ = 0;
};

} // namespace

SortExpected<std::vector<SplitBenchRow>> bench_multisplit(SplitBenchJob const& job) {
    return guarded([&]() -> SortExpected<std::vector<SplitBenchRow>> {
        DeviceScope const scope{job.devices.front()};
        return key_size_bytes(job.key_type) == 4 ? SplitBench<std::uint32_t>(job).run()
                                                 : SplitBench<std::uint64_t>(job).run();
    });
}

SortExpected<double> bench_device_copy(int device, std::uint64_t bytes, int runs) {
    return guarded([&]() -> SortExpected<double> {
        DeviceScope const scope{device};
        DeviceBuffer<unsigned char> const from{device, bytes};
        DeviceBuffer<unsigned char> const to{device, bytes};
        auto const times = timed_ms(device, runs, [&] {
            KEYSWAP_CUDA(
                cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, nullptr));
        });
        return 2.0 * static_cast<double>(bytes) / median_of(times) / 1e6;
    });
}

} // namespace keyswap::kernels
