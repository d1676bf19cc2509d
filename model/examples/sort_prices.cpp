/// \file Sorts prices distributed over the ranks of an MPI program, each with its order number as
/// value: mpirun -n 3 ./sort_prices

#include "model/mpi/rank_sorter.hpp"

#include <cstdio>
#include <random>

namespace {

using namespace keyswap::model;

/// \return the exit code of the program
int sort_prices() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    // Each rank creates some orders; rank 0 has none.
    std::mt19937 random(static_cast<unsigned>(rank));
    std::vector<float> prices(static_cast<std::size_t>(1000 * rank));
    std::vector<std::uint64_t> orders(prices.size());
    for (std::size_t i = 0; i < prices.size(); ++i) {
        prices[i] = static_cast<float>(random() % 10'000) / 100.0F;
        orders[i] = static_cast<std::uint64_t>(rank) * 1'000'000 + i;
    }

    auto sorter = RankSorter::create(MPI_COMM_WORLD);
    if (!sorter) {
        std::fprintf(stderr, "rank %d: %s\n", rank, sorter.error().message().c_str());
        return 2;
    }
    auto const share = sorter->sort(std::move(prices), std::move(orders));
    if (!share) {
        std::fprintf(stderr, "rank %d: %s\n", rank, share.error().message().c_str());
        return 2;
    }
    if (share->keys.empty()) {
        std::printf(
            "rank %d has none of %zu orders\n", rank, static_cast<std::size_t>(share->key_count));
        return 0;
    }
    std::printf("rank %d has %zu of %zu orders, at %.2f to %.2f; the cheapest is number %zu\n",
                rank,
                share->keys.size(),
                static_cast<std::size_t>(share->key_count),
                static_cast<double>(share->keys.front()),
                static_cast<double>(share->keys.back()),
                static_cast<std::size_t>(share->values.front()));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int const status = sort_prices(); // destroys the sorter before MPI_Finalize
    MPI_Finalize();
    return status;
}
