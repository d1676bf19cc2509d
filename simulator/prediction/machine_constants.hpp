#pragma once

/// \file All constants of a machine in one list, wherever they are stored: those that `calibrate`
/// fits, `--assume` sets, and intervals vary. They describe parts of the machine, never a set of
/// GPUs, a distribution or a size.

#include "simulator/prediction/simulation.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Kind of a constant's origin, from the first word of the origin; "published" is measured.
enum class OriginKind { measured, datasheet, derived, assumed };

struct MachineConstant {
    std::string name; ///< "key32.histogram", "xbus.efficiency", "cpu.memory_read_efficiency"
    std::string unit; ///< empty for efficiencies
    double value = 0.0;
    std::string origin;
    double min = 0.0; ///< smallest value allowed
    double max = 1e300;
    std::function<void(Machine&, double)> set;

    [[nodiscard]] OriginKind kind() const;
    /// Plausible range of the true value: +-25 % if assumed, +-10 % if derived or from a data
    /// sheet, +-2 % if measured or published; within [min, max]. An assumed `sort_pass` has about
    /// +-39 %, as CUB's version is unknown too.
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
};

/// Constants of the device profile, in the file's order.
[[nodiscard]] std::vector<MachineConstant> device_constants(Machine const& machine);

/// Efficiencies of each kind of link and of the host memories.
[[nodiscard]] std::vector<MachineConstant> platform_constants(Machine const& machine);

/// device_constants(), then platform_constants().
[[nodiscard]] std::vector<MachineConstant> machine_constants(Machine const& machine);

/// Returns the machine with one constant set. \param text such as "upi.efficiency=0.7"
/// \return an error naming the mistake and similar names
[[nodiscard]] Expected<Machine> with_assumption(Machine const& machine, std::string_view text);

} // namespace keyswap::simulator
