#pragma once

/// \file The constants of a machine as one list, wherever they are stored: what `calibrate` fits,
/// `--assume` sets and an interval is made from. They belong to parts of the machine, never to a
/// set of GPUs, a distribution or a size.

#include "simulator/study/simulation.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Where a constant is from, by the first word of its origin.
enum class OriginKind { measured, datasheet, derived, assumed };

struct MachineConstant {
    std::string name; ///< "key32.histogram", "xbus.efficiency", "cpu.memory_read_efficiency"
    std::string unit; ///< empty for parts of a datasheet's figure
    double value = 0.0;
    std::string origin;
    double min = 0.0; ///< what a value may be at all
    double max = 1e300;
    std::function<void(Machine&, double)> set;

    [[nodiscard]] OriginKind kind() const;
    /// Where the true value lies: within a quarter of what is assumed, a tenth of what is derived
    /// or taken from a data sheet, a fiftieth of what was measured or published; in [min, max]. A
    /// pass of CUB that is assumed lies within two fifths, as its version is not known either.
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
};

/// Constants of the device profile, in the file's order.
[[nodiscard]] std::vector<MachineConstant> device_constants(Machine const& machine);

/// Achieved parts of each kind of link and of the host memories.
[[nodiscard]] std::vector<MachineConstant> platform_constants(Machine const& machine);

/// Both.
[[nodiscard]] std::vector<MachineConstant> machine_constants(Machine const& machine);

/// The machine with one constant set. \param text "upi.efficiency=0.7"
/// \return an error naming what is wrong and the names that are near
[[nodiscard]] Expected<Machine> with_assumption(Machine const& machine, std::string_view text);

} // namespace keyswap::simulator
