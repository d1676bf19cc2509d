// Moves all orders of a customer to one GPU by a custom hash, along with their row numbers, and
// checks the result. Uses all GPUs; on a machine with one, two virtual GPUs. To reuse it, link
// keyswap::kernels and compile with nvcc --extended-lambda.

#include "kernels/shuffle.cuh"

#include <cstdio>
#include <numeric>
#include <vector>

using namespace keyswap::kernels;

namespace {

constexpr std::uint32_t rows_per_gpu = 500'000;
constexpr std::uint32_t buckets = 64;
constexpr int no_gpu = 77; // CTest: skipped

__host__ __device__ std::uint32_t bucket_of(std::uint64_t customer) {
    return static_cast<std::uint32_t>(customer * 0x9e3779b97f4a7c15ULL >> 58);
}

struct ByCustomer {
    __device__ std::uint32_t operator()(std::uint64_t customer) const {
        return bucket_of(customer);
    }
};

int fail(SortError const& error) {
    std::fprintf(stderr, "shuffle_orders: %s\n", error.message.c_str());
    return 2;
}

} // namespace

int main() {
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess || found == 0) {
        std::fprintf(stderr, "shuffle_orders: there is no GPU\n");
        return no_gpu;
    }
    std::vector<int> devices(found == 1 ? 2 : static_cast<std::size_t>(found), 0);
    if (found > 1) {
        std::iota(devices.begin(), devices.end(), 0);
    }
    std::size_t const gpus = devices.size();
    std::uint64_t const capacity = 2 * rows_per_gpu; // a balanced hash: twice the mean suffices

    // Each GPU's share of the orders: customer number and row.
    std::vector<std::uint64_t> customer(rows_per_gpu * gpus);
    for (std::size_t row = 0; row < customer.size(); ++row) {
        customer[row] = row * 7919 % 100'003;
    }
    std::vector<DeviceBuffer<std::uint64_t>> keys;
    std::vector<DeviceBuffer<std::uint64_t>> keys_out;
    std::vector<DeviceBuffer<std::uint32_t>> row_numbers;
    std::vector<DeviceBuffer<std::uint32_t>> row_numbers_out;
    std::vector<ShuffleChunk> chunks;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        std::vector<std::uint32_t> row(rows_per_gpu);
        std::iota(row.begin(), row.end(), static_cast<std::uint32_t>(gpu * rows_per_gpu));
        keys.emplace_back(devices[gpu], rows_per_gpu);
        row_numbers.emplace_back(devices[gpu], rows_per_gpu);
        keys_out.emplace_back(devices[gpu], capacity);
        row_numbers_out.emplace_back(devices[gpu], capacity);
        KEYSWAP_CUDA(cudaMemcpy(keys.back().data(),
                                customer.data() + gpu * rows_per_gpu,
                                rows_per_gpu * sizeof(std::uint64_t),
                                cudaMemcpyDefault));
        KEYSWAP_CUDA(cudaMemcpy(row_numbers.back().data(),
                                row.data(),
                                rows_per_gpu * sizeof(std::uint32_t),
                                cudaMemcpyDefault));
        ShuffleChunk chunk;
        chunk.keys_in = keys.back().data();
        chunk.values_in = row_numbers.back().data();
        chunk.count = rows_per_gpu;
        chunk.keys_out = keys_out.back().data();
        chunk.values_out = row_numbers_out.back().data();
        chunk.capacity = capacity;
        chunks.push_back(chunk);
    }

    auto shuffle = FunctorShuffle<std::uint64_t, std::uint32_t, ByCustomer>::create(
        buckets, devices, rows_per_gpu, ByCustomer{});
    if (!shuffle) {
        return fail(shuffle.error());
    }
    auto const report = (*shuffle)(chunks);
    if (!report) {
        return fail(report.error());
    }

    // Checks that every row occurs once, on its bucket's GPU, in input order.
    std::vector<bool> seen(customer.size());
    std::uint64_t wrong = 0;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t const owned = report->ownership[gpu].count;
        std::vector<std::uint64_t> key(owned);
        std::vector<std::uint32_t> row(owned);
        KEYSWAP_CUDA(cudaMemcpy(
            key.data(), keys_out[gpu].data(), owned * sizeof(key[0]), cudaMemcpyDefault));
        KEYSWAP_CUDA(cudaMemcpy(
            row.data(), row_numbers_out[gpu].data(), owned * sizeof(row[0]), cudaMemcpyDefault));
        for (std::size_t i = 0; i < owned; ++i) {
            bool const same_bucket = i > 0 && bucket_of(key[i]) == bucket_of(key[i - 1]);
            bool const right = !seen[row[i]] && key[i] == customer[row[i]] &&
                               bucket_of(key[i]) * gpus / buckets == gpu &&
                               (!same_bucket || row[i] > row[i - 1]);
            seen[row[i]] = true;
            wrong += right ? 0 : 1;
        }
        std::printf("GPU %zu: %llu orders\n", gpu, static_cast<unsigned long long>(owned));
    }
    std::printf("%s\n",
                wrong == 0 ? "every customer's orders are on one GPU, in the input's order"
                           : "WRONG");
    return wrong == 0 ? 0 : 1;
}
