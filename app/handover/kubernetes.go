package handover

import (
	"fmt"
	"time"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// kubernetes makes the objects. Those that need Prometheus are in a folder of their own, so that the others can be
// applied without it.
func (p *plan) kubernetes() ([]File, error) {
	return manifests(
		manifest{"deployment.yaml", p.deployment()},
		manifest{"service.yaml", p.service()},
		manifest{"disruption-budget.yaml", p.disruptionBudget()},
		manifest{"monitoring/service-monitor.yaml", p.serviceMonitor()},
		manifest{"monitoring/queue-time.yaml", p.queueTimeRule()},
		manifest{"monitoring/autoscaler.yaml", p.autoscaler()},
	)
}

func kind(group, name string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: group, Kind: name} }

func (p *plan) meta() metav1.ObjectMeta { return metav1.ObjectMeta{Name: p.name, Labels: p.labels()} }

// deployment leaves the number of replicas open, since the autoscaler decides it where there is one.
func (p *plan) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta: kind("apps/v1", "Deployment"), ObjectMeta: p.meta(),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: p.selector()},
			// A node without the image fetches it first, some 10 GB.
			ProgressDeadlineSeconds: new(int32((p.startTime() + 10*time.Minute) / time.Second)),
			Template:                corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: p.labels()}, Spec: p.podSpec()},
		},
	}
}

func (p *plan) service() *corev1.Service {
	http, grpc, metrics := ports()
	port := func(name string, number int) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: int32(number), TargetPort: intstr.FromString(name)}
	}
	return &corev1.Service{
		TypeMeta: kind("v1", "Service"), ObjectMeta: p.meta(),
		Spec: corev1.ServiceSpec{
			Selector: p.selector(),
			Ports:    []corev1.ServicePort{port("http", http), port("grpc", grpc), port("metrics", metrics)},
		},
	}
}

// disruptionBudget lets one pod go at a time. It never blocks a node's drain, as a least number would with one replica.
func (p *plan) disruptionBudget() *policyv1.PodDisruptionBudget {
	one := intstr.FromInt32(1)
	return &policyv1.PodDisruptionBudget{
		TypeMeta: kind("policy/v1", "PodDisruptionBudget"), ObjectMeta: p.meta(),
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one, Selector: &metav1.LabelSelector{MatchLabels: p.selector()}},
	}
}

func (p *plan) serviceMonitor() *monitoringv1.ServiceMonitor {
	return &monitoringv1.ServiceMonitor{
		TypeMeta: kind(monitoringv1.SchemeGroupVersion.String(), monitoringv1.ServiceMonitorsKind), ObjectMeta: p.meta(),
		Spec: monitoringv1.ServiceMonitorSpec{
			Selector:  metav1.LabelSelector{MatchLabels: p.selector()},
			Endpoints: []monitoringv1.Endpoint{{Port: "metrics", Interval: "15s"}},
		},
	}
}

// The metric that the autoscaler reads. Triton itself counts the time in queues since its start; the rule makes the mean of
// the last minute from it (docs/triton/metrics.md).
const (
	queueMetric = "triton_queue_time_us"
	queueSum    = "nv_inference_queue_duration_us"
	queueCount  = "nv_inference_request_success"
)

func (p *plan) queueTimeRule() *monitoringv1.PrometheusRule {
	sum := func(metric string) string {
		return fmt.Sprintf("sum by (namespace, pod) (rate(%s{service=%q}[1m]))", metric, p.name)
	}
	return &monitoringv1.PrometheusRule{
		TypeMeta: kind(monitoringv1.SchemeGroupVersion.String(), monitoringv1.PrometheusRuleKind), ObjectMeta: p.meta(),
		Spec: monitoringv1.PrometheusRuleSpec{Groups: []monitoringv1.RuleGroup{{
			Name: p.name,
			Rules: []monitoringv1.Rule{{
				Record: queueMetric,
				// A server without requests has a queue time of 0, not of nothing divided by nothing.
				Expr:   intstr.FromString(sum(queueSum) + " / clamp_min(" + sum(queueCount) + ", 0.001)"),
				Labels: map[string]string{"service": p.name},
			}},
		}}},
	}
}

// What the autoscaler begins with: at most four pods, and another one when requests wait ten milliseconds.
const (
	mostReplicas  = 4
	longestWaitUs = 10_000
)

func (p *plan) autoscaler() *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta: kind("autoscaling/v2", "HorizontalPodAutoscaler"), ObjectMeta: p.meta(),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: p.name},
			MinReplicas:    new(int32(1)), MaxReplicas: mostReplicas,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{
				Metric: autoscalingv2.MetricIdentifier{Name: queueMetric},
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: resource.NewQuantity(longestWaitUs, resource.DecimalSI)},
			}}},
		},
	}
}
