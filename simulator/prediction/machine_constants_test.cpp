#include "simulator/prediction/machine_constants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::simulator {
namespace {

Machine machine_of(std::string const& platform) {
    auto machine = load_machine(platform, std::nullopt);
    EXPECT_TRUE(machine);
    return *machine;
}

MachineConstant constant_of(Machine const& machine, std::string const& name) {
    auto const all = machine_constants(machine);
    auto const found = std::ranges::find(all, name, &MachineConstant::name);
    EXPECT_NE(found, all.end()) << name;
    return *found;
}

TEST(MachineConstants, EveryOneHasItsOwnNameAnOriginAndARange) {
    for (EmbeddedText const& platform : shipped_platforms()) {
        Machine const machine = machine_of(std::string(platform.name));
        std::set<std::string> names;
        for (MachineConstant const& constant : machine_constants(machine)) {
            EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
            EXPECT_NE(constant.origin, "assumed: not stated")
                << platform.name << " " << constant.name;
            EXPECT_LE(constant.low(), constant.value) << platform.name << constant.name;
            EXPECT_GE(constant.high(), constant.value) << platform.name << constant.name;
        }
    }
}

TEST(MachineConstants, WhatIsAssumedHasTheWidestRange) {
    Machine const h100 = machine_of("dgx-h100");
    MachineConstant const assumed = constant_of(h100, "upi.efficiency");
    EXPECT_EQ(assumed.kind(), OriginKind::assumed);
    EXPECT_DOUBLE_EQ(assumed.low(), 0.6 * 0.75);
    EXPECT_DOUBLE_EQ(assumed.high(), 0.6 * 1.25);
    MachineConstant const measured = constant_of(machine_of("ac922"), "xbus.efficiency");
    EXPECT_EQ(measured.kind(), OriginKind::measured);
    EXPECT_DOUBLE_EQ(measured.low(), 0.98 * measured.value);
}

TEST(MachineConstants, EachSetsWhatItNames) {
    Machine const machine = machine_of("ac922");
    for (MachineConstant const& constant : machine_constants(machine)) {
        Machine changed = machine;
        double const other = constant.value == constant.low() ? constant.high() : constant.low();
        constant.set(changed, other);
        EXPECT_EQ(constant_of(changed, constant.name).value, other) << constant.name;
        constant.set(changed, constant.value);
        EXPECT_EQ(write_platform(changed.platform), write_platform(machine.platform));
        EXPECT_EQ(write_device_profile(changed.device), write_device_profile(machine.device));
    }
}

TEST(MachineConstants, LowClocksSlowNothingDownByMoreThanTheirRatio) {
    Machine const a100 = machine_of("dgx-a100");
    double const ratio = a100.device.cold_compute;
    EXPECT_EQ(constant_of(a100, "warm_up.peer_copy").max, ratio);
    EXPECT_GT(constant_of(a100, "warm_up.compute").max, ratio);
    EXPECT_FALSE(with_assumption(a100, "warm_up.to_host=" + std::to_string(ratio + 0.1)));
    // An unknown ratio gives no bound.
    Machine const v100 = machine_of("ac922");
    ASSERT_EQ(v100.device.cold_compute, 1.0);
    EXPECT_GT(constant_of(v100, "warm_up.peer_copy").max, 2.0);
}

TEST(MachineConstants, AnAssumptionIsSetOrRefusedWithARemedy) {
    Machine const machine = machine_of("dgx-h100");
    auto const set = with_assumption(machine, "upi.efficiency=0.84");
    ASSERT_TRUE(set);
    EXPECT_EQ(constant_of(*set, "upi.efficiency").value, 0.84);
    for (char const* wrong :
         {"upi.efficiency", "upi.efficiency=", "upi.efficiency=x", "upi.efficiency=1.5", "upi=1"}) {
        auto const refused = with_assumption(machine, wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_FALSE(refused.error().remedy.empty());
    }
    EXPECT_NE(with_assumption(machine, "ui=1").error().remedy.find("upi.efficiency"),
              std::string::npos);
}

} // namespace
} // namespace keyswap::simulator
