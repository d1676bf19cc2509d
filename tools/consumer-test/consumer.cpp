#include "kernels/exchange_plan/local_sizes.hpp"
#include "model/buckets/chunks.hpp"

#include <cstdio>

int main() {
    // 100 keys on 2 GPUs: the second half is the chunk of GPU 1.
    keyswap::model::Chunks const chunks(100, 2);
    std::printf("key 75 of 100 lies on GPU %u of 2\n", chunks.owner_of(75).value);
    std::printf("a block of a stable step takes %u keys of 64 bits\n",
                keyswap::kernels::local_tiles({8, 0}).stable);
    return chunks.owner_of(75).value == 1 ? 0 : 1;
}
