#include "model/placement.hpp"

#include <cstdio>

int main() {
    // 100 keys on 2 GPUs: a bucket that lies in the second half belongs to GPU 1.
    keyswap::model::Chunks const chunks(100, 2);
    std::printf("key 75 of 100 lies on GPU %u of 2\n", chunks.gpu_of(75).value);
    return chunks.gpu_of(75).value == 1 ? 0 : 1;
}
