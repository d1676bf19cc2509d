#pragma once

#include "simulator/schedules/schedule.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {

/// Input for a sort of 1,000 keys on `gpus` GPUs with the costs of H100, keys in GPU memory.
inline ScheduleInput input_on_h100s(std::uint32_t gpus, KeyType key_type = KeyType::u32) {
    ScheduleInput input;
    input.config.gpu_count = gpus;
    input.config.key_count = 1000;
    input.config.key_type = key_type;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        input.gpus.push_back(gpu);
        input.machines.push_back(0);
        input.input_memories.push_back(gpu_memory(gpu));
    }
    input.output_memories = input.input_memories;
    auto profile = load_device_profile("h100");
    EXPECT_TRUE(profile);
    input.device = *profile;
    return input;
}

} // namespace keyswap::simulator
