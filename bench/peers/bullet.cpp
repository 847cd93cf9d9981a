// scenes/box_settle.toml for Bullet: bullet GRAINS EDGE MU RATE STEPS ROTATION FINAL. GRAINS is LAMMPS's data file, FINAL
// a dump as LAMMPS writes it; RATE is in steps per s; ROTATION is 1 where grains rotate, 0 where not. Goes STEPS steps twice and prints the time of each as LAMMPS does.
#include <btBulletDynamicsCommon.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

// Bullet's tolerances are made for bodies of about a metre: lengths are scaled to that, and gravity with them.
constexpr double scale = 100.0;

struct Grain {
  btVector3 position, velocity;
};
struct Grains {
  std::vector<Grain> all;
  double radius = 0.0, mass = 0.0;  // m, kg
};

Grains read_grains(const char* file) {
  Grains grains;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line) && !line.starts_with("Atoms"))
    if (line.ends_with(" atoms"))
      grains.all.resize(std::strtoull(line.c_str(), nullptr, 10));
  for (Grain& g : grains.all) {
    std::size_t id = 0;
    int type = 0;
    double diameter = 0.0, density = 0.0, x = 0.0, y = 0.0, z = 0.0;
    in >> id >> type >> diameter >> density >> x >> y >> z;
    g.position = btVector3(x, y, z) * scale;
    grains.radius = 0.5 * diameter;
    grains.mass = density * 4.0 / 3.0 * SIMD_PI * grains.radius * grains.radius * grains.radius;
  }
  in >> line;  // Velocities
  for (Grain& g : grains.all) {
    std::size_t id = 0;
    double x = 0.0, y = 0.0, z = 0.0, spin = 0.0;
    in >> id >> x >> y >> z >> spin >> spin >> spin;
    g.velocity = btVector3(x, y, z) * scale;
  }
  return grains;
}

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;

  ~World() {
    for (const auto& body : bodies)
      world.removeRigidBody(body.get());
  }
  btRigidBody& add(btCollisionShape* shape, double mass, double mu, const btVector3& at) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0)
      shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(at);
    info.m_friction = mu;
    bodies.push_back(std::make_unique<btRigidBody>(info));
    world.addRigidBody(bodies.back().get());
    return *bodies.back();
  }
  template <class Shape, class... Arguments> Shape* make(Arguments&&... arguments) {
    shapes.push_back(std::make_unique<Shape>(arguments...));
    return static_cast<Shape*>(shapes.back().get());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: bullet GRAINS EDGE MU RATE STEPS ROTATION FINAL\n");
    return 2;
  }
  const Grains grains = read_grains(argv[1]);
  const double edge = std::atof(argv[2]) * scale,
               mu = std::sqrt(std::atof(argv[3]));  // of a contact: the product of two
  const double rate = std::atof(argv[4]);
  const int steps = std::atoi(argv[5]), rotation = std::atoi(argv[6]);

  World w;
  w.world.setGravity(btVector3(0, 0, -9.81 * scale));
  auto* ball = w.make<btSphereShape>(grains.radius * scale);
  for (const Grain& g : grains.all) {
    btRigidBody& body = w.add(ball, grains.mass, mu, g.position);
    body.setLinearVelocity(g.velocity);
    body.setAngularFactor(rotation);
    body.setActivationState(DISABLE_DEACTIVATION);
  }
  for (const auto& [normal, offset] : {std::pair{btVector3(0, 0, 1), 0.0},
                                       {btVector3(1, 0, 0), 0.0},
                                       {btVector3(0, 1, 0), 0.0},
                                       {btVector3(-1, 0, 0), -edge},
                                       {btVector3(0, -1, 0), -edge}})
    w.add(w.make<btStaticPlaneShape>(normal, offset), 0.0, mu, btVector3(0, 0, 0));

  for (int run = 0; run < 2; ++run) {  // the box falls, then rests
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < steps; ++k)
      w.world.stepSimulation(1.0 / rate, 0);
    std::printf("Loop time of %.9g on 1 procs\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  std::ofstream out(argv[7]);
  out << "ITEM: ATOMS id x y z vx vy vz\n";
  for (std::size_t i = 0; i < grains.all.size(); ++i) {
    const btVector3 p = w.bodies[i]->getWorldTransform().getOrigin() / scale,
                    v = w.bodies[i]->getLinearVelocity() / scale;
    out << i + 1 << ' ' << p.x() << ' ' << p.y() << ' ' << p.z() << ' ' << v.x() << ' ' << v.y() << ' ' << v.z()
        << '\n';
  }
  return out.flush() ? 0 : 1;
}
