#pragma once
// How the joints of a robot from a file move, and what its root link stands on: the values of `drive` and `base` of a
// [[robot]].

namespace talus {

// prescribed: each joint has the value that the scene or a command says, whatever pushes it, and the links have no mass.
// In the others the links have the masses of the file. position, speed: a motor, which exerts at most the joint's effort
// limit. passive: nothing but damping, friction and limits.
enum class RobotDrive { prescribed, position, speed, passive };

// free: the root link moves as the others push it.
enum class RobotBase { fixed, free };

}  // namespace talus
