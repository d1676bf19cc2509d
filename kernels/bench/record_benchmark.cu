#include "kernels/bench/record_benchmark.hpp"

#include "kernels/bench/timed_kernels.cuh"
#include "kernels/bench/timings.hpp"
#include "kernels/sample_sort.cuh"

#include <cub/device/device_merge_sort.cuh>

#include <algorithm>

namespace keyswap::kernels {

namespace {

using Word128 = unsigned __int128;

struct TwoWords {
    std::uint64_t first;
    std::uint64_t second;
};

struct Below {
    template <class Word>
    __device__ bool operator()(Word const& a, Word const& b) const {
        return a < b;
    }
};

struct BelowByBoth {
    __device__ bool operator()(TwoWords const& a, TwoWords const& b) const {
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
};

enum class Pattern {
    uniform,
    few_values ///< 100 distinct values
};

__device__ void fill(std::uint64_t& record, std::uint64_t word, std::uint64_t /*index*/) {
    record = word;
}
__device__ void fill(TwoWords& record, std::uint64_t word, std::uint64_t index) {
    record = {word, index};
}
__device__ void fill(Word128& record, std::uint64_t word, std::uint64_t index) {
    record = static_cast<Word128>(word) << 64 | index;
}

template <class Record>
__global__ void make_kernel(Record* records, std::uint64_t count, Pattern pattern) {
    for_each_index(count, [=](std::uint64_t i) {
        bool const is_uniform = pattern == Pattern::uniform;
        std::uint64_t const word = mix_bits(i + 1);
        fill(records[i], is_uniform ? word : word % 100, is_uniform ? i : 0);
    });
}

/// Adds to the records' digest, {low, high}, and to the number of adjacent records out of order.
template <class Record, class Less>
__global__ void
check_kernel(Record const* records, std::uint64_t count, Less less, unsigned long long* sums) {
    using Slot = RecordSlot<Record>;
    MultisetDigest digest;
    unsigned long long out_of_order = 0;
    for_each_index(count, [&](std::uint64_t i) {
        Slot const slot = reinterpret_cast<Slot const*>(records)[i];
        auto const* const words = reinterpret_cast<std::uint64_t const*>(&slot);
        digest += digest_of(words[0],
                            sizeof(Record) > sizeof(*words) ? words[sizeof(Record) / 8 - 1] : 0);
        out_of_order += i + 1 < count && less(records[i + 1], records[i]) ? 1 : 0;
    });
    atomicAdd(&sums[0], static_cast<unsigned long long>(digest.low));
    atomicAdd(&sums[1], static_cast<unsigned long long>(digest.high));
    atomicAdd(&sums[2], out_of_order);
}

struct Checked {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t out_of_order = 0;
};

template <class Record, class Less>
Checked check(int device, Record const* records, std::uint64_t count) {
    DeviceBuffer<Checked> const sums{device, 1};
    KEYSWAP_CUDA(cudaMemset(sums.data(), 0, sizeof(Checked)));
    check_kernel<<<bench_blocks, bench_threads>>>(
        records, count, Less{}, reinterpret_cast<unsigned long long*>(sums.data()));
    KEYSWAP_CUDA(cudaGetLastError());
    Checked found;
    KEYSWAP_CUDA(cudaMemcpy(&found, sums.data(), sizeof(found), cudaMemcpyDeviceToHost));
    return found;
}

/// Generates records, times one call, and checks the result.
template <class Record, class Less, class Sort>
double timed_sort(int device,
                  DeviceBuffer<Record> const& records,
                  Pattern pattern,
                  std::uint64_t& wrong,
                  Sort const& sort) {
    std::uint64_t const count = records.size();
    make_kernel<<<bench_blocks, bench_threads>>>(records.data(), count, pattern);
    KEYSWAP_CUDA(cudaGetLastError());
    Checked const given = check<Record, Less>(device, records.data(), count);
    Event const begin{device, EventTiming::on};
    Event const end{device, EventTiming::on};
    begin.record(nullptr);
    sort();
    end.record(nullptr);
    KEYSWAP_CUDA(cudaEventSynchronize(end.get()));
    double const ms = end.milliseconds_since(begin);
    Checked const sorted = check<Record, Less>(device, records.data(), count);
    bool const is_same = sorted.low == given.low && sorted.high == given.high;
    wrong += sorted.out_of_order + (is_same ? 0 : 1);
    return ms;
}

/// Thrown if a sorter returns an error.
struct Refused {
    SortError error;
};

template <class Record, class Less>
RecordBenchRow
bench_type(std::string name, int device, std::uint64_t bytes, Pattern pattern, int runs) {
    RecordBenchRow row;
    row.name =
        "records " + std::move(name) + (pattern == Pattern::uniform ? " uniform" : " 100 values");
    row.record_count = bytes / sizeof(Record);
    DeviceBuffer<Record> const records{device, row.record_count};
    auto const count = static_cast<std::int64_t>(row.record_count);
    std::size_t temp_bytes = 0;
    KEYSWAP_CUDA(cub::DeviceMergeSort::SortKeys(
        nullptr, temp_bytes, records.data(), count, Less{}, cudaStream_t{nullptr}));
    DeviceBuffer<std::byte> const temp{device, temp_bytes};
    auto sorter = RecordSorter<Record, Less>::create(row.record_count);
    if (!sorter) {
        throw Refused{sorter.error()};
    }
    auto const sample_sort = [&] {
        if (auto const done = (*sorter)(records.data(), row.record_count); !done) {
            throw Refused{done.error()};
        }
    };
    auto const merge_sort = [&] {
        KEYSWAP_CUDA(cub::DeviceMergeSort::SortKeys(
            temp.data(), temp_bytes, records.data(), count, Less{}, cudaStream_t{nullptr}));
    };
    for (int run = 0; run <= runs; ++run) {
        double const sample_ms =
            timed_sort<Record, Less>(device, records, pattern, row.wrong, sample_sort);
        double const merge_ms =
            timed_sort<Record, Less>(device, records, pattern, row.wrong, merge_sort);
        if (run > 0) {
            row.sample_ms.push_back(sample_ms);
            row.merge_ms.push_back(merge_ms);
        }
    }
    return row;
}

} // namespace

double RecordBenchRow::sample_median() const {
    return median_of(sample_ms);
}

double RecordBenchRow::merge_median() const {
    return median_of(merge_ms);
}

SortExpected<std::vector<RecordBenchRow>> bench_records(int device, std::uint64_t bytes, int runs) {
    try {
        DeviceScope const scope{device};
        std::vector<RecordBenchRow> rows;
        for (Pattern const pattern : {Pattern::uniform, Pattern::few_values}) {
            rows.push_back(bench_type<Word128, Below>("u128", device, bytes, pattern, runs));
            rows.push_back(
                bench_type<TwoWords, BelowByBoth>("{u64,u64}", device, bytes, pattern, runs));
            rows.push_back(bench_type<std::uint64_t, Below>("u64", device, bytes, pattern, runs));
        }
        return rows;
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    } catch (Refused const& refused) {
        return tl::unexpected(refused.error);
    }
}

} // namespace keyswap::kernels
